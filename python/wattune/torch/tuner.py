"""Tuner and Kernel: dynamic tuning (docs/dynamic.md) for a program that calls kernels on its own tensors."""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import weakref
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from .. import _core
from .._arguments import Array, array_from, current_stream, scalar_from, stream_handle
from .._errors import exception, wrong
from .._log import deliver, listen

_C_TYPES: dict[str, Any] = {
    "int8": ctypes.c_int8,
    "uint8": ctypes.c_uint8,
    "int16": ctypes.c_int16,
    "uint16": ctypes.c_uint16,
    "int32": ctypes.c_int32,
    "uint32": ctypes.c_uint32,
    "int64": ctypes.c_int64,
    "uint64": ctypes.c_uint64,
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
}
_tuners: weakref.WeakSet[Tuner] = weakref.WeakSet()


class Tuner:
    """Tunes kernels of specs on one CUDA device while the program calls them.

    `wisdom` is the file that is read and written, `known` are files that are only read. Stalls of calls take at most
    `share` of the time, plus the share `reinvested` of the time that tuning saved, and none lasts longer than
    `longest_stall` seconds; without it 5 ms and twice the time of the best known configuration. `device` is the number
    of the device, by default PyTorch's current one. Raises UnavailableError without a device. A `with` block closes it.
    """

    def __init__(
        self,
        *,
        wisdom: str | os.PathLike[str] | None = None,
        known: Sequence[str | os.PathLike[str]] = (),
        share: float = 0.02,
        reinvested: float = 0.5,
        longest_stall: float | None = None,
        compile_processes: int = 2,
        device: int | None = None,
    ) -> None:
        listen()
        options = {
            "wisdom": os.fspath(wisdom or ""),
            "known": [os.fspath(each) for each in known],
            "share": float(share),
            "reinvested": float(reinvested),
            "longest_stall": None if longest_stall is None else float(longest_stall),
            "compile_processes": compile_processes,
        }
        self._device = _current_device() if device is None else device
        self._tuner = _core.Tuner(self._device, options)
        self._kernels: weakref.WeakSet[Kernel] = weakref.WeakSet()
        _tuners.add(self)
        deliver()

    def kernel(
        self,
        spec: str | os.PathLike[str],
        *,
        safety: str = "screened",
        mode: str = "automatic",
        measuring: str = "paired",
        strategy: str = "",
        evaluations: int | None = None,
        seconds: float | None = None,
        calls_before_tuning: int = 0,
        tune_known: bool = False,
        adopt_unverified: bool = False,
        seed: int = 1,
    ) -> Kernel:
        """Returns the kernel of a spec. `safety` is `screened`, `shadowed` or `trusted`, `mode` `automatic`, `best` or
        `explore`, `measuring` `paired` or `exclusive` (docs/dynamic.md). Raises the errors of the spec."""
        made = _core.load(os.fspath(spec), {}, {"constraints": []}, True)
        options = {
            "safety": safety,
            "mode": mode,
            "measuring": measuring,
            "strategy": strategy,
            "evaluations": evaluations,
            "seconds": None if seconds is None else float(seconds),
            "calls_before_tuning": calls_before_tuning,
            "tune_known": tune_known,
            "adopt_unverified": adopt_unverified,
            "seed": seed,
        }
        kernel = Kernel(self._tuner.kernel(made, options), made, self._device)
        self._kernels.add(kernel)
        deliver()
        return kernel

    def gap(self, seconds: float = 1e-3) -> float:
        """Loads waiting code, where the device has nothing to do for so long; returns the seconds that it took."""
        return self._tuner.gap(seconds)

    def set_mode(self, mode: str) -> None:
        """Sets the mode of all kernels: `automatic`, `best` or `explore`."""
        self._tuner.set_mode(mode)

    def report(self) -> dict[str, Any]:
        """Returns what tuning did and what it cost, as docs/formats/json.md describes it; times are in nanoseconds."""
        made: dict[str, Any] = json.loads(self._tuner.report())
        return made

    def save(self) -> None:
        """Writes the wisdom. Raises IoError."""
        self._tuner.save()

    def close(self) -> None:
        """Writes the wisdom and ends tuning. Its kernels cannot be called any more. It happens at exit by itself."""
        for each in list(self._kernels):
            each._close()
        self._tuner.close()
        deliver()

    def __enter__(self) -> Tuner:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()


class Kernel:
    """A kernel that is called with its arguments in order, and tunes itself meanwhile. Tuner.kernel() makes it.

    Tensors are used where they are. Python's numbers take the types of the kernel's scalars; numbers that do not fit
    raise OutOfRangeError. In a CUDA graph the best known configuration is captured: preload() the sizes before, and
    update_graph() later.
    """

    def __init__(self, kernel: _core.TunedKernel, spec: _core.Spec, device: int) -> None:
        self._kernel: _core.TunedKernel | None = kernel
        self._name = spec.name()
        self._arguments = [each for each in spec.arguments() if each[1] != "other"]
        self._device = device

    def __call__(
        self, *arguments: Any, stream: object = None, sizes: dict[str, int] | None = None, mode: str | None = None
    ) -> None:
        """Launches the kernel in `stream`, or else in the current stream of the tensors' library, and returns at once.

        `sizes` are those that no scalar argument tells.
        """
        passed, handle = self._passed(arguments, stream)
        self._own().call(passed, handle, sizes or {}, mode)

    def tune_now(self, *arguments: Any, stream: object = None, sizes: dict[str, int] | None = None) -> None:
        """Tunes the key of this call now, on copies of the arguments, and returns when that is done."""
        passed, handle = self._passed(arguments, stream)
        self._own().tune_now(passed, handle, sizes or {})

    def preload(self, **sizes: int) -> None:
        """Loads the best known configuration for sizes, such as before a capture, and returns when it is loaded."""
        self._own().preload(sizes)

    def expect(self, calls: int | None = None, **sizes: int) -> None:
        """Announces calls with these sizes, and how many, so that their code is ready in time."""
        self._own().expect(sizes, calls)

    def update_graph(self, graph: Any, stream: object = None) -> int:
        """Has each launch of this kernel in a captured graph run the best configuration; returns how many there are.

        `graph` is a torch.cuda.CUDAGraph(keep_graph=True) that was instantiated and does not run now.
        """
        handle = _handle(stream, self._device)
        return self._own().update_graph(handle, int(graph.raw_cuda_graph_exec()), int(graph.raw_cuda_graph()))

    def best(self, **sizes: int) -> dict[str, Any] | None:
        """Returns the configuration that calls of these sizes run; None before the first one is ready."""
        return self._own().best(sizes)

    def set_mode(self, mode: str) -> None:
        """Sets the mode: `automatic`, `best` or `explore`."""
        self._own().set_mode(mode)

    def retune(self) -> None:
        """Tunes all sizes again, as if they were unknown."""
        self._own().retune()

    def _own(self) -> _core.TunedKernel:
        if self._kernel is None:
            raise exception("unavailable", f"the tuner of {self._name} is closed", {})
        return self._kernel

    def _close(self) -> None:
        self._kernel = None

    def _passed(self, arguments: Sequence[Any], stream: object) -> tuple[list[Any], int]:
        if len(arguments) != len(self._arguments):
            names = ", ".join(name for name, *_ in self._arguments)
            raise wrong(f"{self._name} takes {len(self._arguments)} arguments ({names})", f"{len(arguments)} are given")
        passed: list[Any] = []
        arrays: list[Array] = []
        for (name, kind, type_, _), given in zip(self._arguments, arguments):
            if kind == "scalar":
                passed.append(_scalar(name, type_, given))
                continue
            array = array_from(name, given)
            if array is None or array.type != type_:
                found = type(given).__name__ if array is None else array.type
                raise wrong(f"the argument `{name}` is no array of {type_}", found)
            if array.device != self._device:
                where = "the host" if array.device < 0 else f"cuda:{array.device}"
                raise wrong(f"the array `{name}` is not on cuda:{self._device}, the tuner's device", where)
            arrays.append(array)
            passed.append(array.address)
        return passed, current_stream(arrays) if stream is None else stream_handle(stream)


def _scalar(name: str, type_: str, given: Any) -> bytes:
    """Returns the bytes of a number in the type of the kernel's argument."""
    if type(given) not in (bool, int, float):
        scalar = scalar_from(name, given)
        if scalar.type != type_:
            raise wrong(f"the scalar `{name}` is of type {type_}", scalar.type)
        return scalar.raw
    if type_ in _C_TYPES:
        made = _C_TYPES[type_](given) if type_.startswith("float") or type(given) is not float else None
        if made is None:
            raise wrong(f"the scalar `{name}` is of type {type_}", repr(given))
        if not type_.startswith("float") and made.value != int(given):
            raise exception("out_of_range", f"the scalar `{name}` does not fit into {type_}: {given}", {})
        return bytes(made)
    raise wrong(f"the scalar `{name}` is of type {type_}", repr(given), "pass a NumPy number of that type")


def _current_device() -> int:
    import sys

    torch: Any = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return 0
    return int(torch.cuda.current_device())


def _handle(stream: object, device: int) -> int:
    import sys

    if stream is not None:
        return stream_handle(stream)
    torch: Any = sys.modules.get("torch")
    return 0 if torch is None else int(torch.cuda.current_stream(device).cuda_stream)


def _close_all() -> None:
    for each in list(_tuners):
        each.close()


atexit.register(_close_all)
