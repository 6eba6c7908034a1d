"""Arrays of PyTorch: what they are, and memory, contents and times of them in a worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from .arrays import Device, Placed

_MARGIN = 1 << 16  # bytes before and behind each storage that no kernel may write
_PATTERN = 0xA5

_TOLERANCES = {torch.float64: 1e-8, torch.float32: 5e-3, torch.float16: 1e-2, torch.bfloat16: 4e-2}
_PART = 1 << 26  # elements that are compared at once
_TOLERANCE = 0.25  # of types of 8 bits and fewer


def address(array: torch.Tensor) -> int:
    return 0 if array.is_meta else array.data_ptr()


def layout(array: torch.Tensor) -> tuple[str, int, tuple[int, ...], tuple[int, ...]]:
    shape, strides = tuple(map(int, array.shape)), tuple(map(int, array.stride()))
    return str(array.dtype), array.element_size(), shape, strides


def is_whole(array: torch.Tensor) -> bool:
    return not bool(array.dtype.is_floating_point or array.dtype.is_complex)


def contents(array: torch.Tensor) -> bytes | None:
    if not is_whole(array) or array.is_meta:
        return None
    copied = array.detach().to("cpu").contiguous().view(-1)
    return bytes(copied.view(torch.uint8).numpy().tobytes()) if copied.numel() else b""


def device() -> Device:
    index = torch.cuda.current_device()
    facts = torch.cuda.get_device_properties(index)
    uuid = str(getattr(facts, "uuid", ""))
    if uuid and not uuid.startswith(("GPU-", "MIG-")):
        uuid = "GPU-" + uuid
    return Device(facts.name, f"sm_{facts.major}{facts.minor}", uuid, index)


def capturing() -> bool:
    return bool(torch.cuda.is_available() and torch.cuda.is_current_stream_capturing())


def finish() -> None:
    torch.cuda.synchronize()


def memory_ran_out(error: BaseException) -> bool:
    return isinstance(error, torch.OutOfMemoryError)


class Gpu:
    """The GPU of a worker. Work runs in one stream of its own."""

    def __init__(self) -> None:
        torch.cuda.init()
        self._own = torch.cuda.Stream()
        self.use_stream(True)
        facts = torch.cuda.get_device_properties(0)
        self._flush: torch.Tensor | None = None
        self._flush_bytes = 2 * int(getattr(facts, "L2_cache_size", 0) or (64 << 20))
        self._use_memory_of_kernels()

    def _use_memory_of_kernels(self) -> None:
        """Gives kernels that ask for memory of their own the memory of PyTorch."""
        try:
            import triton

            triton.set_allocator(lambda size, _align, _stream: torch.empty(size, device="cuda", dtype=torch.int8))
        except (ImportError, AttributeError):
            pass

    def use_stream(self, own: bool) -> None:
        """Chooses a stream of its own, or the default stream, for kernels of libraries that know no other."""
        torch.cuda.synchronize()
        self.stream = self._own if own else torch.cuda.default_stream()
        self._graphs = own
        torch.cuda.set_stream(self.stream)

    def given(self, array: torch.Tensor, library: str) -> Any:
        """Returns the array as one of the caller's library."""
        if library == "cupy":
            import cupy

            return cupy.asarray(array)
        if library == "numba":
            from numba import cuda

            return cuda.as_cuda_array(array)
        return array

    def free_bytes(self) -> int:
        return int(torch.cuda.mem_get_info()[0])

    def storage(self, size: int, skew: int) -> tuple[Any, int]:
        """Returns memory with margins, and the offset in it at which a storage of this skew begins."""
        made = torch.full((size + 2 * _MARGIN + 256,), _PATTERN, dtype=torch.uint8, device="cuda")
        return made, _MARGIN + (skew - made.data_ptr() - _MARGIN) % 256

    def fill(self, memory: torch.Tensor, begin: int, size: int, placed: Sequence[Placed], seed: int) -> None:
        """Fills a storage with random numbers of its first array's type; whole numbers become 0."""
        dtype = getattr(torch, placed[0].dtype.partition(".")[2]) if placed else torch.uint8
        body = memory[begin : begin + size]
        if not dtype.is_floating_point:
            body.zero_()
            return
        item = placed[0].item
        first = placed[0].offset % item
        count = (size - first) // item
        generator = torch.Generator(device="cuda").manual_seed(seed)
        kind = dtype if dtype in _TOLERANCES else torch.float32
        for at in range(0, count, 1 << 28):
            part = min(1 << 28, count - at)
            begin_of = first + at * item
            numbers = torch.randn(part, dtype=kind, device="cuda", generator=generator).to(dtype)
            body[begin_of : begin_of + part * item].copy_(numbers.view(torch.uint8))

    def array(self, memory: torch.Tensor, begin: int, placed: Placed) -> torch.Tensor:
        dtype = getattr(torch, placed.dtype.partition(".")[2])
        start = begin + placed.offset
        aligned = memory[start % placed.item :]
        usable = aligned[: aligned.numel() // placed.item * placed.item]
        return usable.view(dtype).as_strided(placed.shape, placed.strides, start // placed.item)

    def write(self, array: torch.Tensor, content: bytes) -> None:
        if content:
            given = torch.frombuffer(bytearray(content), dtype=torch.uint8).view(array.dtype).reshape(array.shape)
            array.copy_(given)

    def copy(self, memory: torch.Tensor) -> torch.Tensor:
        return memory.clone()

    def restore(self, memory: torch.Tensor, copy: torch.Tensor) -> None:
        memory.copy_(copy)

    def zero(self, array: Any) -> None:
        array.zero_()

    def same(self, a: torch.Tensor, b: torch.Tensor) -> bool:
        return bool(torch.equal(a, b))

    def wrap(self, array: torch.Tensor, dtype: str) -> Any:
        import triton

        return triton.reinterpret(array, getattr(torch, dtype.rpartition(".")[2]))

    def difference(self, got: torch.Tensor, right: torch.Tensor) -> str:
        """Returns how an output differs from the right one beyond rounding, in words; empty if it does not."""
        if got.numel() <= _PART or got.dim() == 0:
            return _difference(got, right, _scale(right))
        scale = _scale(right.view(-1)[:_PART])
        rows = max(1, _PART * got.shape[0] // got.numel())
        for number, (some, others) in enumerate(zip(got.split(rows), right.split(rows))):
            found = _difference(some, others, scale)
            if found:
                return f"from row {number * rows} on, {found}"
        return ""

    def finish(self) -> None:
        self.stream.synchronize()

    def warm_up(self) -> None:
        """Keeps the GPU busy for some 10 ms, so that its clocks rise."""
        flush = self._flushed()
        for _ in range(300):
            flush.zero_()
        self.finish()

    def _flushed(self) -> torch.Tensor:
        if self._flush is None:
            self._flush = torch.empty(self._flush_bytes, dtype=torch.uint8, device="cuda")
        return self._flush

    def times(
        self, launches: Sequence[tuple[Callable[[], None], Callable[[], None]]], rounds: int, cold: bool, graph: bool
    ) -> list[list[float]]:
        """Returns the seconds of each launch in each round. A pair has what precedes a launch, untimed, and the launch.

        Launches take turns. In a graph the host's time for launching plays no role. With `cold`, the L2 cache holds
        nothing of the arrays before a launch.
        """
        if graph and self._graphs:
            try:
                return self._times_in_graph(launches, rounds, cold)
            except RuntimeError as error:
                if "captur" not in str(error) and "graph" not in str(error).lower():
                    raise
                self._graphs = False  # the kernel or its hooks do what no graph can hold
                torch.cuda.synchronize()
        events = self._record(launches, rounds, cold, False)
        self.finish()
        return _seconds(events)

    def _record(
        self, launches: Sequence[tuple[Callable[[], None], Callable[[], None]]], rounds: int, cold: bool, external: bool
    ) -> list[list[tuple[torch.cuda.Event, torch.cuda.Event]]]:
        events = [[(_event(external), _event(external)) for _ in range(rounds)] for _ in launches]
        for turn in range(rounds):
            for i in range(len(launches)):
                at = (i + turn) % len(launches)
                before, launch = launches[at]
                before()
                if cold:
                    self._flushed().zero_()
                events[at][turn][0].record(self.stream)
                launch()
                events[at][turn][1].record(self.stream)
        return events

    def _times_in_graph(
        self, launches: Sequence[tuple[Callable[[], None], Callable[[], None]]], rounds: int, cold: bool
    ) -> list[list[float]]:
        self._flushed()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        graph.capture_begin(capture_error_mode="thread_local")
        try:
            events = self._record(launches, rounds, cold, True)
        finally:
            graph.capture_end()
        graph.replay()
        self.finish()
        times = _seconds(events)
        graph.reset()
        return times

    def forget(self) -> None:
        """Gives unused memory back to the device."""
        torch.cuda.empty_cache()


def _scale(right: torch.Tensor) -> torch.Tensor:
    """Returns the root of the mean square of an array's finite numbers."""
    numbers = right if right.dtype == torch.float64 else right.float()
    finite = numbers[torch.isfinite(numbers)]
    return finite.square().mean().sqrt() if finite.numel() else torch.zeros((), device=right.device)


def _difference(got: torch.Tensor, right: torch.Tensor, scale: torch.Tensor) -> str:
    if is_whole(got):
        wrong = got != right
    else:
        a, b = (each if each.dtype == torch.float64 else each.float() for each in (got, right))
        bound = _TOLERANCES.get(got.dtype, _TOLERANCE) * (b.abs() + scale)
        wrong = ~(((a - b).abs() <= bound) | (a == b) | (a.isnan() & b.isnan()))
    count = int(wrong.sum())
    if count == 0:
        return ""
    where = tuple(int(each) for each in wrong.nonzero()[0])
    return f"{count} of {got.numel()} elements, the first at {where}: {got[where]} in the place of {right[where]}"


def _event(external: bool) -> torch.cuda.Event:
    return torch.cuda.Event(enable_timing=True, external=external)


def _seconds(events: list[list[tuple[torch.cuda.Event, torch.cuda.Event]]]) -> list[list[float]]:
    return [[begin.elapsed_time(end) / 1e3 for begin, end in each] for each in events]
