"""The few functions of NVML that helpers and clocks need, called by ctypes."""

from __future__ import annotations

import ctypes
from typing import Any

from ..._errors import exception

_GRAPHICS, _MEMORY = 0, 2  # nvmlClockType_t
_MOST_CLOCKS = 1024


def _library() -> Any:
    try:
        library = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError as error:
        text = "NVML is not there: libnvidia-ml.so.1 (it comes with the driver of NVIDIA)"
        raise exception("unavailable", text, {"message": text}) from error
    _check("nvmlInit_v2", library.nvmlInit_v2())
    return library


def _check(name: str, code: int) -> None:
    if code != 0:
        text = f"{name} failed with the code {code}"
        raise exception("unavailable", text, {"message": text, "native_code": code})


class Board:
    """A board by its number in NVML. Raises UnavailableError without NVML or the board."""

    def __init__(self, device: int) -> None:
        self._library = _library()
        self._handle = ctypes.c_void_p()
        self._call("nvmlDeviceGetHandleByIndex_v2", ctypes.c_uint(device), ctypes.byref(self._handle))

    def _call(self, name: str, *arguments: Any) -> None:
        _check(name, getattr(self._library, name)(*arguments))

    def _number(self, name: str, *arguments: Any) -> int:
        value = ctypes.c_uint()
        self._call(name, self._handle, *arguments, ctypes.byref(value))
        return value.value

    def _list(self, name: str, *arguments: Any) -> list[int]:
        count = ctypes.c_uint(_MOST_CLOCKS)
        values = (ctypes.c_uint * _MOST_CLOCKS)()
        self._call(name, self._handle, *arguments, ctypes.byref(count), values)
        return list(values[: count.value])

    def graphics_clock(self) -> int:
        """Returns the present clock in MHz."""
        return self._number("nvmlDeviceGetClockInfo", ctypes.c_uint(_GRAPHICS))

    def memory_clock(self) -> int:
        """Returns the present clock in MHz."""
        return self._number("nvmlDeviceGetClockInfo", ctypes.c_uint(_MEMORY))

    def memory_clocks(self) -> list[int]:
        """Returns the clocks that can be set, in MHz."""
        return self._list("nvmlDeviceGetSupportedMemoryClocks")

    def graphics_clocks(self, memory_clock: int) -> list[int]:
        """Returns the clocks that can be set at a memory clock, in MHz."""
        return self._list("nvmlDeviceGetSupportedGraphicsClocks", ctypes.c_uint(memory_clock))

    def power_limits(self) -> tuple[int, int]:
        """Returns the least and the greatest limit, in mW."""
        least, most = ctypes.c_uint(), ctypes.c_uint()
        self._call(
            "nvmlDeviceGetPowerManagementLimitConstraints", self._handle, ctypes.byref(least), ctypes.byref(most)
        )
        return least.value, most.value

    def power(self) -> int:
        """Returns the present power in mW."""
        return self._number("nvmlDeviceGetPowerUsage")
