"""The process that compiles ahead: it forks a child for each candidate, as many at a time as there are processors.

`python -m wattune.triton.compiler DESCRIPTOR BACKEND ARCHITECTURE WARP` needs neither a GPU nor PyTorch. Its children
put what they compile into Triton's cache on disk, where the worker and the caller find it.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from typing import Any

from .._calls.arrays import Placed, rebuilt
from .._calls.bench import Job, in_one_line
from .._calls.channel import Channel, Gone, Silent

_LIMIT_SECONDS = 120.0


class _Type(str):
    """A type by name, with the size that tensor descriptors ask for."""

    itemsize: int

    def __new__(cls, name: str, item: int) -> _Type:
        made = super().__new__(cls, name)
        made.itemsize = item
        return made


class StandIn:
    """An array without memory, for the compiler: it has type, shape, strides and the alignment of its address."""

    def __init__(self, placed: Placed, skew: int) -> None:
        self.dtype = _Type(placed.wrapped or placed.dtype, placed.item)
        self.shape = placed.shape
        self._strides = placed.strides
        self._address = 4096 + skew + placed.offset

    def data_ptr(self) -> int:
        return self._address

    def stride(self, dimension: int | None = None) -> Any:
        return self._strides if dimension is None else self._strides[dimension]

    def dim(self) -> int:
        return len(self.shape)

    def ptr_range(self) -> int:
        return 0


class _Target:
    """A driver that knows its target and nothing else, so that Triton compiles without a GPU."""

    def __init__(self, backend: str, architecture: int | str, warp: int) -> None:
        from triton.backends.compiler import GPUTarget

        self._target = GPUTarget(backend, architecture, warp)

    def get_current_target(self) -> Any:
        return self._target

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, _device: int = 0) -> int:
        return 0


def _specialize_without_torch() -> None:
    """Has Triton look for PyTorch now, in vain: at its first call it would import PyTorch, in each child anew."""
    from triton.backends.compiler import BaseBackend
    from triton.runtime import jit

    specialize = getattr(jit, "native_specialize_impl", None)
    if specialize is None or "torch" in sys.modules:
        return
    sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        specialize(BaseBackend, 1, False, True, True)
    finally:
        del sys.modules["torch"]


class _Server:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._most = len(os.sched_getaffinity(0))
        self._waiting: list[tuple[int, Any]] = []
        self._running: dict[int, tuple[int, float]] = {}
        self._job: Job | None = None
        self._launcher: Any = None

    def serve(self) -> None:
        """Serves until the caller is gone."""
        while True:
            self._reap()
            while self._waiting and len(self._running) < self._most:
                self._fork(*self._waiting.pop(0))
            try:
                message: Any = self._channel.receive(0.003 if self._running else None)
            except Silent:
                continue
            if message[0] == "end":
                return
            self._take(message)

    def _take(self, message: Any) -> None:
        if message[0] == "open":
            self._job, self._launcher = message[1], None
        elif message[0] == "compile":
            self._waiting.append((message[1], message[2]))
        elif message[0] == "drop":
            self._waiting.clear()

    def _fork(self, number: int, candidate: Any) -> None:
        assert self._job is not None
        if self._launcher is None:
            try:
                self._launcher = self._job.launcher.open()
            except Exception as error:
                self._channel.send(("compiled", number, None, in_one_line(error)))
                return
        child = os.fork()
        if child:
            self._running[child] = number, time.monotonic() + _LIMIT_SECONDS
            return
        try:
            os.setsid()
            self._channel.send(("compiled", number, *self._compile(candidate)))
            os._exit(0)
        finally:
            os._exit(1)

    def _compile(self, candidate: Any) -> tuple[Any, str]:
        job = self._job
        assert job is not None
        try:
            arguments = {
                name: rebuilt(node, lambda placed: StandIn(placed, job.storages[placed.storage].skew))
                for name, node in job.arguments.items()
            }
            made = self._launcher.compile(arguments, candidate)
            return {"shared": getattr(made.metadata, "shared", 0)}, ""
        except Exception as error:
            return None, in_one_line(error)

    def _reap(self) -> None:
        for child, (number, until) in list(self._running.items()):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                del self._running[child]
                code = os.waitstatus_to_exitcode(status)
                if code < 0:
                    why = f"the compiler died of it (signal {signal.Signals(-code).name})"
                    self._channel.send(("compiled", number, None, why))
                elif code > 0:
                    self._channel.send(("compiled", number, None, f"the compiler ended with status {code}"))
            elif time.monotonic() > until:
                del self._running[child]
                _kill(child)
                self._channel.send(("compiled", number, None, f"compiling took more than {_LIMIT_SECONDS:.0f} s"))

    def end(self) -> None:
        for child in self._running:
            _kill(child)


def _kill(child: int) -> None:
    """Ends a child with the assembler that it started."""
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def main(number: int, backend: str, architecture: str, warp: int) -> None:
    """Imports Triton, does once what every compilation needs, and serves."""
    channel = Channel.of(number)
    try:
        from triton.compiler import make_backend
        from triton.runtime.driver import driver

        from . import preloaded

        target = _Target(backend, int(architecture) if architecture.isdigit() else architecture, warp)
        driver.set_active(target)
        make_backend(target.get_current_target()).hash()
        _specialize_without_torch()
        preloaded.before_fork()
    except Exception as error:
        channel.send(("broken", in_one_line(error)))
        return
    gc.freeze()
    server = _Server(channel)
    try:
        server.serve()
    finally:
        server.end()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        main(int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
    except (OSError, Gone):
        pass
