"""Arrays with __cuda_array_interface__, such as those of CuPy and Numba. In a worker their memory is PyTorch's."""

from __future__ import annotations

import math
from typing import Any

from .arrays import Device

_TYPES = {"f": "float", "i": "int", "u": "uint", "b": "bool", "c": "complex"}


def _facts(array: Any) -> dict[str, Any]:
    facts: dict[str, Any] = array.__cuda_array_interface__
    return facts


def address(array: Any) -> int:
    return int(_facts(array)["data"][0] or 0)


def layout(array: Any) -> tuple[str, int, tuple[int, ...], tuple[int, ...]]:
    facts = _facts(array)
    kind, item = facts["typestr"][1], int(facts["typestr"][2:])
    name = "torch.bool" if kind == "b" else f"torch.{_TYPES[kind]}{8 * item}"
    shape = tuple(map(int, facts["shape"]))
    strides = facts.get("strides")
    if strides is not None:
        return name, item, shape, tuple(int(each) // item for each in strides)
    return name, item, shape, tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


def is_whole(array: Any) -> bool:
    return _facts(array)["typestr"][1] in "iub"


def contents(array: Any) -> bytes | None:
    if not is_whole(array):
        return None
    copied = array.get() if hasattr(array, "get") else array.copy_to_host()
    return bytes(copied.tobytes())


def _torch_arrays() -> Any:
    from . import torch_arrays

    return torch_arrays


def device() -> Device:
    made: Device = _torch_arrays().device()
    return made


def capturing() -> bool:
    return bool(_torch_arrays().capturing())


def finish() -> None:
    _torch_arrays().finish()


def memory_ran_out(error: BaseException) -> bool:
    return bool(_torch_arrays().memory_ran_out(error))


def Gpu() -> Any:
    """Returns the GPU of a worker."""
    return _torch_arrays().Gpu()
