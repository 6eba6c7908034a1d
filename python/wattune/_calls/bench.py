"""The worker process: it makes the arrays of a call on the GPU, runs candidates on them, checks and times them.

`python -m wattune._calls.bench DESCRIPTOR MODULE...` imports the modules and forks a child, which serves requests. If
the child dies or is killed, the next one is there within milliseconds, since nothing has to be imported again.
"""

from __future__ import annotations

import dataclasses
import gc
import importlib
import os
import select
import signal
import statistics
import sys
from collections.abc import Callable, Sequence
from typing import Any

from .arrays import LIBRARIES, Placed, Storage, rebuilt
from .channel import Channel, Gone
from .shipping import Shipped, unship

_QUICK_SECONDS = 4e-3  # of the GPU, for the first samples of a candidate
_FULL_SECONDS = 12e-3  # for those of a candidate that may be the best
_FEWEST, _MOST = 3, 30  # samples of one measurement
_HOPELESS = 1.3  # times as slow as the best: no more samples


@dataclasses.dataclass
class Job:
    """A kernel and the arguments of a call. `launcher.open()` gives its launches in the worker."""

    library: str
    launcher: Any
    arguments: dict[str, Any]
    storages: list[Storage]
    outputs: list[str] | None = None
    check: Shipped | None = None
    zeroed: list[str] = dataclasses.field(default_factory=list)
    restored: list[str] = dataclasses.field(default_factory=list)
    cold: bool = True
    home: str = ""
    """The module that serves the library's arrays, if it is not in LIBRARIES."""
    streams: bool = True
    """True if launches go to PyTorch's current stream, so that a graph can hold them; else they go to the default."""


class MemoryRanOut(Exception):
    """The arrays of the call do not fit; str() says how much is needed."""


class _Failure(Exception):
    """A candidate that is wrong; str() says how."""


def _arrays_in(node: Any) -> list[Placed]:
    if isinstance(node, Placed):
        return [node]
    if hasattr(node, "base"):
        return _arrays_in(node.base)
    if isinstance(node, tuple):
        return [each for part in node for each in _arrays_in(part)]
    return []


class Bench:
    """The arrays of a job, and what its first candidate wrote into them."""

    def __init__(self, job: Job, gpu: Any, memory_ran_out: Callable[[BaseException], bool]) -> None:
        self._job = job
        self._gpu = gpu
        needed = 3 * sum(each.size for each in job.storages)
        free = gpu.free_bytes()
        about = f"{needed / 2**30:.1f} GiB for copies of the arguments, and {free / 2**30:.1f} GiB are free"
        if needed > free:
            raise MemoryRanOut(about)
        try:
            self._make()
        except Exception as error:
            if memory_ran_out(error):
                raise MemoryRanOut(about) from None
            raise
        self._launcher = job.launcher.open()
        self._check = unship(job.check) if job.check else None
        self._outputs: dict[str, list[Placed]] | None = None  # by argument, once known
        self._right: dict[Placed, Any] = {}
        gpu.warm_up()

    def _make(self) -> None:
        job, gpu = self._job, self._gpu
        self._placed = {name: _arrays_in(node) for name, node in job.arguments.items()}
        self._memory = []
        self._copies = []
        for number, storage in enumerate(job.storages):
            memory, begin = gpu.storage(storage.size, storage.skew)
            self._memory.append((memory, begin))
            here = [each for some in self._placed.values() for each in some if each.storage == number]
            gpu.fill(memory, begin, storage.size, here, 1 + number)
            for placed, content in storage.contents:
                gpu.write(gpu.array(memory, begin, placed), content)
            self._copies.append(gpu.copy(memory))
        self._arrays: dict[Placed, Any] = {}
        self._arguments = {name: rebuilt(node, self._array) for name, node in job.arguments.items()}

    def _array(self, placed: Placed) -> Any:
        if placed not in self._arrays:
            bare = dataclasses.replace(placed, wrapped="")
            memory, begin = self._memory[placed.storage]
            made = self._gpu.given(self._gpu.array(memory, begin, bare), self._job.library)
            self._arrays[placed] = self._gpu.wrap(made, placed.wrapped) if placed.wrapped else made
        return self._arrays[placed]

    def _view(self, memories: Sequence[Any], placed: Placed) -> Any:
        return self._gpu.array(memories[placed.storage], self._memory[placed.storage][1], placed)

    def _restore(self) -> None:
        for (memory, _), copy in zip(self._memory, self._copies):
            self._gpu.restore(memory, copy)

    def _prepare(self, candidate: Any) -> tuple[Callable[[], None], Callable[[], None]]:
        """Returns what precedes a launch of the candidate, and the launch."""
        hook, launch = self._launcher.prepare(dict(self._arguments), candidate)
        zeroed = [self._arguments[name] for name in self._job.zeroed]
        restored = [each for name in self._job.restored for each in self._placed[name]]

        def before() -> None:
            for array in zeroed:
                self._gpu.zero(array)
            for each in {placed.storage for placed in restored}:
                self._gpu.restore(self._memory[each][0], self._copies[each])
            if hook is not None:
                hook()

        return before, launch

    def run(self, candidate: Any) -> tuple[Callable[[], None], Callable[[], None]]:
        """Runs a candidate once and checks it, or learns from it what is right. Returns what _prepare() does."""
        before, launch = self._prepare(candidate)
        self._restore()
        before()
        launch()
        self._gpu.finish()
        self._judge(candidate)
        return before, launch

    def learn(self, candidate: Any) -> None:
        """Has a candidate that was found right before tell what is right."""
        self._outputs = None
        self.run(candidate)

    def measure(self, candidate: Any, best: float | None) -> list[float]:
        """Returns the seconds of a candidate, which is checked first. `best` is the time of the best so far."""
        gpu, cold = self._gpu, self._job.cold
        before, launch = self.run(candidate)
        once = gpu.times([(before, launch)], 2, cold, False)[0][1]
        if best is not None and once > 3 * best and once > 1e-3:
            return [once]
        graph = once < 5e-3
        samples: list[float] = gpu.times([(before, launch)], _rounds(_QUICK_SECONDS, once), cold, graph)[0]
        middle = statistics.median(samples)
        if best is None or middle < _HOPELESS * best:
            samples += gpu.times([(before, launch)], _rounds(_FULL_SECONDS, middle), cold, graph)[0]
        return samples

    def turns(self, candidates: Sequence[Any], seconds: float) -> list[list[float]]:
        """Returns the seconds of each candidate in a final in turns of about so many seconds."""
        pairs = [self._prepare(each) for each in candidates]
        self._restore()
        once = max(self._gpu.times(pairs, 2, self._job.cold, False)[i][1] for i in range(len(pairs)))
        rounds = max(5, min(60, int(seconds / (len(pairs) * (once + _FLUSH_SECONDS)))))
        times: list[list[float]] = self._gpu.times(pairs, rounds, self._job.cold, once < 5e-3)
        return times

    def _judge(self, candidate: Any) -> None:
        memories = [memory for memory, _ in self._memory]
        outputs = self._outputs if self._outputs is not None else self._changed(memories)
        written = {placed.storage for some in outputs.values() for placed in some}
        for number, (memory, copy) in enumerate(zip(memories, self._copies)):
            begin = self._memory[number][1]
            end = begin + self._job.storages[number].size
            parts = [slice(0, begin), slice(end, None)] if number in written else [slice(None)]
            if not all(self._gpu.same(memory[part], copy[part]) for part in parts):
                raise _Failure(f"it writes elsewhere: {self._names_in(number)} changed")
        if self._check is not None:
            self._ask_check(candidate, outputs, memories)
        elif self._outputs is None:
            self._right = {
                each: self._gpu.copy(self._view(memories, each)) for some in outputs.values() for each in some
            }
        else:
            self._compare(memories)
        self._outputs = outputs

    def _compare(self, memories: Sequence[Any]) -> None:
        assert self._outputs is not None
        for name, some in self._outputs.items():
            for placed in some:
                difference = self._gpu.difference(self._view(memories, placed), self._right[placed])
                if difference:
                    raise _Failure(f"its output {name} is not that of the first configuration: {difference}")

    def _ask_check(self, candidate: Any, outputs: dict[str, list[Placed]], memories: Sequence[Any]) -> None:
        assert self._check is not None
        shown = {name: self._view(memories, some[0]) for name, some in outputs.items() if some}
        if not self._check(shown, self._launcher.configuration(candidate)):
            raise _Failure("the check function says that its outputs are wrong")

    def _names_in(self, number: int) -> str:
        names = [name for name, some in self._placed.items() if any(each.storage == number for each in some)]
        return f"memory of or beside {', '.join(names)}"

    def _changed(self, memories: Sequence[Any]) -> dict[str, list[Placed]]:
        """Returns the declared outputs, or the arrays that changed, by argument."""
        names = self._job.outputs
        outputs: dict[str, list[Placed]] = {}
        for name, some in self._placed.items():
            bare = [dataclasses.replace(placed, wrapped="") for placed in some]
            if names is not None:
                if name in names:
                    outputs[name] = bare
                continue
            changed = [
                placed
                for placed in bare
                if not self._gpu.same(self._view(memories, placed), self._view(self._copies, placed))
            ]
            if changed:
                outputs[name] = changed
        return outputs


_FLUSH_SECONDS = 40e-6
_END = 7  # exit status of a child that the caller ends, and with it the process


def _rounds(seconds: float, once: float) -> int:
    return max(_FEWEST, min(_MOST, int(seconds / (once + _FLUSH_SECONDS))))


def in_one_line(error: BaseException) -> str:
    """Returns a line about an exception: its class and the first lines of its text."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__


def _serve(channel: Channel) -> None:
    """Serves the requests of one job after another. Ends with the channel, or when the GPU's context is broken."""
    bench: Bench | None = None
    gpu: Any = None
    module: Any = None
    while True:
        request: Any = channel.receive()
        try:
            if request[0] == "open":
                job: Job = request[1]
                bench = None
                module = importlib.import_module(job.home or LIBRARIES[job.library])
                gpu = gpu or module.Gpu()
                gc.collect()
                gpu.forget()
                gpu.use_stream(job.streams)
                bench = Bench(job, gpu, module.memory_ran_out)
                reply: tuple[Any, ...] = ("opened",)
            elif request[0] == "close":
                bench = None
                gc.collect()
                if gpu is not None:
                    gpu.forget()
                reply = ("closed",)
            elif request[0] == "end":
                os._exit(_END)
            else:
                assert bench is not None
                result = getattr(bench, request[0])(*request[1:])
                reply = ("done", result if request[0] != "learn" else None)
        except MemoryRanOut as error:
            reply = ("no memory", str(error))
        except _Failure as error:
            reply = ("failed", str(error), False)
        except Exception as error:
            broken = gpu is not None and not _still_works(gpu)
            channel.send(("failed", in_one_line(error), broken))
            if broken:
                return
            continue
        channel.send(reply)


def _still_works(gpu: Any) -> bool:
    try:
        gpu.finish()
    except Exception:
        return False
    return True


def _wait(child: int, channel: Channel) -> str | None:
    """Waits for the child's end and returns it in words; None if the caller is gone, and with it the child."""
    poll = select.poll()
    poll.register(channel.fileno(), select.POLLHUP)
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            if code == _END:
                return None
            return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
        if poll.poll(20):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None


def main(number: int, modules: Sequence[str]) -> None:
    """Imports, then forks one child after another until the caller is gone."""
    channel = Channel.of(number)
    try:
        for each in [importlib.import_module(each) for each in modules]:
            getattr(each, "before_fork", lambda: None)()
    except Exception as error:
        channel.send(("broken", in_one_line(error)))
        return
    gc.freeze()  # what was imported is never garbage, and need not be searched
    while True:
        child = os.fork()
        if child == 0:
            try:
                _serve(channel)
            except Gone:
                os._exit(0)
            finally:
                os._exit(1)
        channel.send(("started", child))
        end = _wait(child, channel)
        if end is None:
            return
        channel.send(("ended", end))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        main(int(sys.argv[1]), sys.argv[2:])
    except Gone:
        pass
