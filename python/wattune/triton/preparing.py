"""prepare(): tuning ahead of time, for shapes instead of tensors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from triton.runtime.autotuner import Heuristics

from .._errors import wrong
from .._types import Configuration
from .autotuner import Autotuner


def prepare(
    kernel: Any,
    shapes: Iterable[Mapping[str, Any]],
    grid: Callable[[dict[str, Any]], Sequence[int]] | Sequence[int] | None = None,
    *,
    wisdom: str | os.PathLike[str] | None = None,
) -> list[Configuration]:
    """Tunes a kernel for calls to come and returns the winner of each, as values by name.

    Each of `shapes` has the arguments of a call by name, and `grid` if that is not the same for all. An array is a
    tensor of PyTorch, which may be on the device `meta` and so take no memory, or a pair of shape and type, such as
    `((4096, 4096), "float16")`. What is known is not measured again. Winners are written into the file `wisdom`, which
    a package may ship, or else into the user's own. Raises Error if a key cannot be tuned, and InvalidArgumentError.
    """
    outer = []
    while isinstance(kernel, Heuristics):
        outer.append(kernel)
        kernel = kernel.fn
    if not isinstance(kernel, Autotuner):
        raise wrong("prepare() takes a kernel that wattune.triton.autotune decorates", type(kernel).__name__)
    winners = []
    for shape in shapes:
        arguments = {name: _argument(value) for name, value in shape.items() if name != "grid"}
        for each in outer:
            for name, heuristic in each.values.items():
                arguments[name] = heuristic(dict(arguments))
        unknown = sorted(arguments.keys() - set(kernel.arg_names))
        if unknown:
            raise wrong(f"{kernel.base_fn.__name__} has no such argument", ", ".join(unknown))
        blocks = shape.get("grid", grid)
        if blocks is None:
            raise wrong(
                "prepare() needs the grid of a call", hint="a function of the arguments, or up to three numbers"
            )
        winners.append(kernel.tune(arguments, blocks, file=wisdom))
    return winners


def _argument(value: Any) -> Any:
    """Returns the argument; for a pair of shape and type, a tensor without memory."""
    if (
        isinstance(value, tuple)
        and len(value) == 2
        and isinstance(value[0], (tuple, list))
        and isinstance(value[1], str)
    ):
        import torch

        return torch.empty(tuple(value[0]), dtype=getattr(torch, value[1]), device="meta")
    return value
