"""A GPU without a GPU: arrays, a driver and a launcher for Triton, so that kernels compile for sm_90 and "run".

The compiler, its cache and its signatures are Triton's own. A launch checks the binary and its grid and then computes
in NumPy what the kernel of tests/kernels.py computes. Its time follows from the configuration.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from wattune._calls.arrays import LIBRARIES, Device, Placed

LIBRARIES["fake_gpu"] = "fake_gpu"
_SHARED = 232448
_MARGIN = 512


class Type(str):
    """A type such as `fake.float32`."""

    @property
    def itemsize(self) -> int:
        return int(self.numpy.itemsize)

    @property
    def numpy(self) -> np.dtype[Any]:
        return np.dtype(self.rpartition(".")[2])

    def __hash__(self) -> int:
        return str.__hash__(self)


class Tensor:
    """An array in memory that counts as the GPU's."""

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self.values = values
        self.dtype = Type(f"fake.{values.dtype}")
        self.shape = values.shape

    def data_ptr(self) -> int:
        return int(self.values.__array_interface__["data"][0])

    def stride(self) -> tuple[int, ...]:
        return tuple(each // self.values.itemsize for each in self.values.strides)

    def zero_(self) -> None:
        self.values[...] = 0


def tensor(values: Any, dtype: str = "float32") -> Tensor:
    """Returns a tensor at a multiple of 256 bytes."""
    given = np.asarray(values, dtype)
    memory = np.zeros(given.nbytes + 256, np.uint8)
    start = -memory.__array_interface__["data"][0] % 256
    placed = memory[start : start + given.nbytes].view(dtype).reshape(given.shape)
    placed[...] = given
    return Tensor(placed)


def address(array: Tensor) -> int:
    return array.data_ptr()


def layout(array: Tensor) -> tuple[str, int, tuple[int, ...], tuple[int, ...]]:
    return str(array.dtype), array.dtype.itemsize, array.shape, array.stride()


def is_whole(array: Tensor) -> bool:
    return array.values.dtype.kind in "iub"


def contents(array: Tensor) -> bytes | None:
    return array.values.tobytes() if is_whole(array) else None


def device() -> Device:
    return Device("Fake H200", "sm_90", "GPU-fake")


def capturing() -> bool:
    return os.environ.get("FAKE_CAPTURE") == "1"


def finish() -> None:
    pass


def memory_ran_out(error: BaseException) -> bool:
    return isinstance(error, MemoryError)


class _State:
    """The GPU of this process: the clock of launches, and whether an access broke the context."""

    seconds = 0.0
    broken = False
    launches = 0


class Gpu:
    """The worker's GPU."""

    def __init__(self) -> None:
        use()

    def use_stream(self, own: bool) -> None:
        pass

    def given(self, array: Tensor, _library: str) -> Tensor:
        return array

    def free_bytes(self) -> int:
        return int(os.environ.get("FAKE_MEMORY", str(1 << 32)))

    def storage(self, size: int, skew: int) -> tuple[Any, int]:
        memory = np.full(size + 2 * _MARGIN + 256, 0xA5, np.uint8)
        start = memory.__array_interface__["data"][0]
        return memory, _MARGIN + (skew - start - _MARGIN) % 256

    def fill(self, memory: Any, begin: int, size: int, placed: Sequence[Placed], seed: int) -> None:
        body = memory[begin : begin + size]
        body[:] = 0
        if placed and np.dtype(Type(placed[0].dtype).numpy).kind == "f":
            count = size // placed[0].item
            numbers = np.random.default_rng(seed).standard_normal(count).astype(Type(placed[0].dtype).numpy)
            body[: count * placed[0].item] = numbers.view(np.uint8)

    def array(self, memory: Any, begin: int, placed: Placed) -> Tensor:
        start = begin + placed.offset
        flat = memory[start:]
        flat = flat[: len(flat) // placed.item * placed.item].view(Type(placed.dtype).numpy)
        strides = [each * placed.item for each in placed.strides]
        return Tensor(np.lib.stride_tricks.as_strided(flat, placed.shape, strides))

    def write(self, array: Tensor, content: bytes) -> None:
        array.values[...] = np.frombuffer(content, array.values.dtype).reshape(array.shape)

    def copy(self, memory: Any) -> Any:
        return Tensor(memory.values.copy()) if isinstance(memory, Tensor) else memory.copy()

    def restore(self, memory: Any, copy: Any) -> None:
        memory[...] = copy

    def zero(self, array: Tensor) -> None:
        array.zero_()

    def same(self, a: Any, b: Any) -> bool:
        first, second = (each.values if isinstance(each, Tensor) else each for each in (a, b))
        return np.array_equal(first, second)

    def difference(self, got: Tensor, right: Tensor) -> str:
        return "" if np.allclose(got.values, right.values, rtol=1e-3) else "it differs"

    def finish(self) -> None:
        if _State.broken:
            raise RuntimeError("CUDA error: an illegal memory access was encountered")

    def warm_up(self) -> None:
        pass

    def times(
        self, launches: Sequence[tuple[Callable[[], None], Callable[[], None]]], rounds: int, cold: bool, graph: bool
    ) -> list[list[float]]:
        times: list[list[float]] = [[] for _ in launches]
        for _ in range(rounds):
            for at, (before, launch) in enumerate(launches):
                before()
                launch()
                times[at].append(_State.seconds)
        return times

    def forget(self) -> None:
        pass


class Utils:
    """What Triton asks of a driver about binaries and devices."""

    def get_device_properties(self, _device: int) -> dict[str, int]:
        return {"max_shared_mem": _SHARED, "multiprocessor_count": 132, "warpSize": 32}

    def load_binary(self, name: str, kernel: bytes, shared: int, _device: int) -> tuple[Any, Any, int, int, int]:
        assert kernel[:4] == b"\x7fELF" and shared <= _SHARED
        return object(), name, 32, 0, 1024


class Launcher:
    """What Triton makes of a compiled kernel, and calls with the grid and all arguments."""

    def __init__(self, source: Any, metadata: Any) -> None:
        self._names = list(source.fn.arg_names)
        self._metadata = metadata

    def __call__(self, x: int, y: int, z: int, _stream: int, function: str, *rest: Any) -> None:
        arguments = dict(zip(self._names, rest[4:]))
        import kernels

        assert min(x, y, z) >= 1
        _State.launches += 1
        trace = os.environ.get("FAKE_TRACE")
        if trace:
            with open(trace, "a") as file:
                file.write(f"{os.getpid()} {function} {self._metadata.num_warps}\n")
        _State.seconds = kernels.EFFECTS[function]((x, y, z), arguments, self._metadata)


def memory_at(pointer: Tensor, offset: int, count: int) -> np.ndarray[Any, Any]:
    """Returns the numbers that begin so many elements behind a pointer, whether they are its own or not."""
    item = pointer.dtype.itemsize
    raw = (ctypes.c_byte * (count * item)).from_address(pointer.data_ptr() + offset * item)
    return np.frombuffer(raw, pointer.values.dtype)


def break_context() -> None:
    """Has everything fail from now on, as after an illegal access."""
    _State.broken = True


def take(seconds: float) -> None:
    """Has the launch that happens now take so long."""
    _State.seconds = seconds


def launches() -> int:
    """Returns how many launches there were in this process."""
    return _State.launches


class Driver:
    """A driver of Triton for sm_90."""

    launcher_cls = Launcher
    utils = Utils()

    def get_current_target(self) -> Any:
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", 90, 32)

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, _device: int = 0) -> int:
        return 0

    def get_benchmarker(self) -> Callable[..., list[float]]:
        """Returns what Triton's own autotuner measures with."""

        def bench(call: Callable[[], None], quantiles: Sequence[float], **_: Any) -> list[float]:
            call()
            return [1e3 * _State.seconds] * len(quantiles)

        return bench


def use() -> None:
    """Makes this the GPU of Triton in this process."""
    from triton.runtime.driver import driver

    driver.set_active(Driver())  # type: ignore[arg-type]
