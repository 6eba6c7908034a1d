"""Threads and blocks of a configuration, from the problem size and the divisors."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .._errors import wrong

Params = Mapping[str, Any]

DEFAULT_BLOCK_SIZE_NAMES = ["block_size_x", "block_size_y", "block_size_z"]
_DEFAULT_BLOCK = (256, 1, 1)
_WORD = re.compile(r"([A-Za-z0-9_]+)")
_FUNCTIONS = {"ceil": math.ceil, "floor": math.floor, "math": math}


def with_values(text: str, params: Params) -> str:
    """Returns the text with the values of parameters in the place of their names."""
    return "".join(str(params[part]) if part in params else part for part in _WORD.split(text))


def evaluated(text: str, params: Params) -> Any:
    """Returns the value of an expression of Python's in parameters."""
    names: dict[str, Any] = dict(_FUNCTIONS)
    if "np." in text or "numpy." in text:
        import numpy

        names.update(np=numpy, numpy=numpy)
    return eval(with_values(text, params), names)


def block_names(given: Sequence[str] | None, parameters: Iterable[str]) -> list[str]:
    """Returns the names of the three dimensions of a block.

    Without `given`, other spellings of the default names among the parameters (BLOCK_SIZE_X) take their place. Raises
    InvalidArgumentError unless there are at most three texts.
    """
    if given is not None:
        is_list = isinstance(given, (list, tuple)) and all(isinstance(each, str) for each in given)
        if not is_list or len(given) > 3:
            raise wrong("block_size_names is a list of at most three names", given)
        names = list(given)
    else:
        names = sorted(
            (each for each in parameters if each.lower() in DEFAULT_BLOCK_SIZE_NAMES and each.lower() != each),
            key=str.casefold,
        )
    return [*names, *DEFAULT_BLOCK_SIZE_NAMES[len(names) :]]


def thread_block(names: Sequence[str], params: Params) -> tuple[int, int, int]:
    """Returns the threads of a block in three dimensions; 256, 1 and 1 for parameters that there are not."""
    x, y, z = (int(params.get(name, usual)) for name, usual in zip(names, _DEFAULT_BLOCK))
    return x, y, z


def problem_extents(problem_size: Any, params: Params) -> list[int]:
    """Returns the problem size in three dimensions. Raises TypeError for what is neither a number nor a text."""
    called: Any = problem_size
    given: Any = called(params) if callable(called) else problem_size
    if isinstance(given, str) or hasattr(given, "__index__"):
        given = (given,)
    extents = [1, 1, 1]
    if len(given) > 3:
        raise wrong("the problem size has one to three dimensions", given)
    for axis, each in enumerate(given):
        if isinstance(each, str):
            extents[axis] = int(evaluated(each, params))
        elif hasattr(each, "__index__"):
            extents[axis] = int(each)
        else:
            raise TypeError(f"problem_size holds numbers and texts, not {each!r}")
    return extents


def _divisor(given: Any, default: str | None, params: Params) -> Any:
    if given is None:
        return 1 if default is None else params.get(default, 1)
    if isinstance(given, int):
        return given
    if callable(given):
        return given(params)
    if isinstance(given, str):
        return int(evaluated(given, params))
    if isinstance(given, Iterable):
        return math.prod(_divisor(each, None, params) for each in given)
    raise wrong("a divisor of the grid is a number, a text, a function or a list of these", given)


class Geometry:
    """How the blocks and threads of a kernel follow from a configuration."""

    def __init__(self, problem_size: Any, divisors: Sequence[Any], names: Sequence[str]) -> None:
        self.problem_size = problem_size
        self.names = list(names)
        self._divisors = tuple(divisors)

    def block(self, params: Params) -> tuple[int, int, int]:
        """Returns the threads of a block."""
        return thread_block(self.names, params)

    def grid(self, params: Params) -> tuple[int, ...]:
        """Returns the number of blocks in each dimension."""
        extents = problem_extents(self.problem_size, params)
        divisors = [_divisor(each, name, params) for each, name in zip(self._divisors, self.names)]
        return tuple(math.ceil(float(extent) / float(divisor)) for extent, divisor in zip(extents, divisors))

    def computed(self) -> list[tuple[str, Callable[[Params], object]]]:
        """Returns the names that expressions of the launch read, each with its function of the configuration."""
        values: list[tuple[str, Callable[[Params], object]]] = []
        for axis, letter in enumerate("xyz"):
            values.append((f"launched_blocks_{letter}", lambda params, at=axis: self.grid(params)[at]))  # type: ignore[misc]
            values.append((f"launched_threads_{letter}", lambda params, at=axis: self.block(params)[at]))  # type: ignore[misc]
        return values
