"""The kernel in one configuration, called like a function."""

from __future__ import annotations

from . import _core
from ._arguments import array_from, current_stream, scalar_from, stream_handle
from ._errors import wrong
from ._problem import Local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Call:
    """The kernel in one configuration, called like a function."""

    def __init__(self, spec: _core.Spec, device: str) -> None:
        self._kernel = _core.Kernel(spec, device)
        self._arguments = [each for each in spec.arguments() if each[1] != "other"]

    def __call__(self, *arguments: Any, stream: object = None, sizes: Mapping[str, int] | None = None) -> None:
        """Launches the kernel on the caller's arrays.

        Arrays of a CUDA device are used as they are, in `stream` or else in the current stream of their library, and
        the call does not wait. Arrays of the host are copied to the device, and those that the kernel writes are
        copied back. `sizes` are extents that no scalar argument tells.
        """
        given = [each for each in arguments if not isinstance(each, Local)]
        if len(given) != len(self._arguments):
            names = ", ".join(name for name, *_ in self._arguments)
            raise wrong(f"the kernel takes {len(self._arguments)} arguments ({names})", f"{len(given)} are given")
        arrays = []
        passed: list[Any] = []
        for (name, kind, type_, is_written), each in zip(self._arguments, given):
            if kind == "scalar":
                passed.append(scalar_from(name, each).raw)
                continue
            array = array_from(name, each)
            if array is None or array.type != type_:
                found = type(each).__name__ if array is None else array.type
                raise wrong(f"the argument `{name}` is no array of {type_}", found)
            arrays.append(array)
            passed.append((array, is_written))
        self._launch(passed, arrays, stream, dict(sizes or {}))

    def _launch(self, passed: list[Any], arrays: list[Any], stream: object, sizes: dict[str, int]) -> None:
        devices = {array.device for array in arrays}
        if len(devices) > 1:
            names = ["host" if each < 0 else f"cuda:{each}" for each in sorted(devices)]
            raise wrong("the arrays are on several devices", ", ".join(names))
        if devices and devices != {-1}:
            handle = current_stream(arrays) if stream is None else stream_handle(stream)
            addresses = [each if isinstance(each, bytes) else each[0].address for each in passed]
            self._kernel.call_cuda(addresses, handle, devices.pop(), sizes)
            return
        if stream is not None:
            raise wrong("a stream goes with arrays of a CUDA device")
        memory = [each if isinstance(each, bytes) else (each[0].address, each[0].bytes, each[1]) for each in passed]
        self._kernel.call_host(memory, sizes)
