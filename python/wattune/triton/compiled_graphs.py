"""What torch.compile and Inductor see of a kernel: its recorded winner alone.

PyTorch asks an autotuner for `early_config_prune`, which Dynamo traces and which `triton_op` calls with fake tensors.
Ours looks the winner up, so that nothing is left to measure. Sizes in the key so become constants of the graph.
"""

from __future__ import annotations

import itertools
import sys
import weakref
from collections.abc import Callable
from typing import Any

Values = tuple[tuple[str, Any], ...]
"""The values of a key's arguments, by name."""
Kinds = tuple[tuple[str, str, Any], ...]
"""For each array its name, its type, and shape and strides unless it is contiguous."""

_numbers = itertools.count()
_autotuners: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def traces() -> bool:
    """Tells whether PyTorch traces a graph now."""
    guards = sys.modules.get("torch._guards")
    return guards is not None and guards.TracingContext.try_get() is not None


def plain(value: Any) -> Any:
    """Returns the number that stands for a symbolic one, without a guard on it."""
    node = getattr(value, "node", None)
    if node is None:
        return value
    hint = getattr(node, "hint", None)
    return value if hint is None else hint


def winner_only(autotuner: Any) -> Callable[..., list[Any]]:
    """Returns a function that leaves the recorded winner of a call's configurations, for PyTorch."""
    import torch

    number = next(_numbers)
    _autotuners[number] = autotuner
    names = tuple(autotuner.arg_names)
    keys = tuple(autotuner.keys)

    @torch._dynamo.assume_constant_result  # type: ignore[untyped-decorator]
    def place(values: Values, kinds: Kinds) -> int:
        made = tuple((name, plain(value)) for name, value in values)
        found: int = _autotuners[number].place_of_winner(made, kinds)
        return found

    def early_config_prune(configs: list[Any], named: dict[str, Any], **kwargs: Any) -> list[Any]:
        values = []
        kinds = []
        for name in names:
            value = named[name] if name in named else kwargs.get(name)
            if isinstance(value, torch.Tensor):
                layout = None if value.is_contiguous() else (tuple(value.shape), tuple(value.stride()))
                kinds.append((name, str(value.dtype), layout))
            elif name in keys:
                # Dynamo makes a constant of what is a key of a dict.
                values.append((name, next(iter({value: 0})) if torch.compiler.is_dynamo_compiling() else value))
        return [configs[place(tuple(values), tuple(kinds))]]

    return early_config_prune
