"""The caller's side of its server processes: a worker for each GPU, and one process that compiles ahead."""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from .._errors import exception
from .arrays import Storage
from .bench import Job
from .channel import Channel, Gone, Silent

_START_SECONDS = 120.0  # for the imports of a server
_OPEN_SECONDS = 120.0  # for the arrays of a call, and for the context of the GPU
_IDLE_SECONDS = 20.0  # after which a worker ends, so that the memory of its context is free

tuning = threading.RLock()
"""Held while a thread tunes: servers talk to one thread at a time."""


shared: dict[str, str] = {}
"""Variables of the environment that every server gets."""


def start(
    module: str, arguments: Sequence[str], environment: dict[str, str]
) -> tuple[subprocess.Popen[bytes], Channel]:
    """Starts `python -m module` with a channel whose descriptor is its first argument."""
    channel, theirs = Channel.pair()
    path = [each or os.getcwd() for each in sys.path]
    inherited = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "WATTUNE_TUNING": "off", **shared, **environment}
    shown = bool(os.environ.get("WATTUNE_SHOW_WORKERS"))
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", module, str(theirs.fileno()), *arguments],
            pass_fds=[theirs.fileno()],
            env=inherited,
            stdin=subprocess.DEVNULL,
            stdout=2 if shown else subprocess.DEVNULL,
            stderr=None if shown else subprocess.DEVNULL,
            start_new_session=True,
        )
    return process, channel


def _end(process: subprocess.Popen[bytes], channel: Channel) -> None:
    """Asks a process to end, and kills it with its children after five seconds."""
    with contextlib.suppress(Gone):
        channel.send(("end",))
    channel.close()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class Worker:
    """A worker process on a GPU. What it runs may crash or hang: that costs the request alone."""

    def __init__(self, uuid: str, modules: Sequence[str]) -> None:
        environment = {"CUDA_VISIBLE_DEVICES": uuid} if uuid else {}
        self.owner = os.getpid()
        self._modules = list(modules)
        self._process, self._channel = start("wattune._calls.bench", modules, environment)
        self._child: int | None = None
        self._job: Job | None = None
        self.reference: Any = None
        """The candidate whose outputs are right; a new child runs it first."""
        self._opened = False

    def serves(self, modules: Sequence[str]) -> bool:
        """Tells whether it has imported these modules and is alive."""
        return self._modules == list(modules) and self._process.poll() is None and self.owner == os.getpid()

    def open(self, job: Job, reference: Any = None) -> tuple[Any, ...]:
        """Makes the arrays of a job. Returns ("opened",), ("no memory", text) or ("failed", text, ...).

        `reference` is a candidate that is known to be right.
        """
        self._job, self._opened, self.reference = job, False, reference
        return self._open()

    def ask(self, request: tuple[Any, ...], seconds: float) -> tuple[Any, ...]:
        """Returns ("done", result) or ("failed", text, ...). After a crash or a hang the job is opened anew."""
        if not self._opened:
            opened = self._open()
            if opened[0] != "opened":
                return opened
        self._channel.send(request)
        return self._reply(seconds)

    def close_job(self) -> None:
        """Frees the arrays."""
        self._job = None
        if self._opened:
            self._opened = False
            self._channel.send(("close",))
            self._reply(_OPEN_SECONDS)

    def _open(self) -> tuple[Any, ...]:
        self._ready()
        self._channel.send(("open", self._job))
        reply = self._reply(_OPEN_SECONDS)
        self._opened = reply[0] == "opened"
        if self._opened and self.reference is not None:
            self._channel.send(("learn", self.reference))
            learned = self._reply(_OPEN_SECONDS)
            if learned[0] != "done":
                self._opened = False
                return learned
        return reply

    def _ready(self) -> None:
        """Waits until a child serves."""
        while self._child is None:
            message = self._receive(_START_SECONDS)
            if message[0] == "started":
                self._child = message[1]
            elif message[0] == "broken":
                raise exception("unavailable", f"the worker does not start: {message[1]}", {"message": message[1]})

    def _receive(self, seconds: float) -> tuple[Any, ...]:
        try:
            message = self._channel.receive(seconds)
        except Gone:
            raise exception("unavailable", "the worker process is gone", {}) from None
        except Silent:
            raise exception("unavailable", f"the worker does not start within {seconds:.0f} s", {}) from None
        assert isinstance(message, tuple)
        return message

    def _reply(self, seconds: float) -> tuple[Any, ...]:
        try:
            reply: Any = self._channel.receive(seconds)
        except Silent:
            assert self._child is not None
            os.kill(self._child, signal.SIGKILL)
            reply = "killed", f"it did not end within {seconds:.0f} s"
        except Gone:
            raise exception("unavailable", "the worker process is gone", {}) from None
        if reply[0] == "ended":
            reply = "killed", f"the worker died of it ({reply[1]})"
        if reply[0] == "killed" or (reply[0] == "failed" and reply[2]):
            self._child, self._opened = None, False
            return "failed", reply[1], True
        assert isinstance(reply, tuple)
        return reply

    def end(self) -> None:
        """Ends the process and its child."""
        if self.owner == os.getpid():
            _end(self._process, self._channel)


class Compilers:
    """A process that compiles ahead in children. Requests have numbers."""

    def __init__(self, module: str, arguments: Sequence[str]) -> None:
        self.owner = os.getpid()
        self._process, self._channel = start(module, arguments, {"CUDA_VISIBLE_DEVICES": ""})
        self._next = 0
        self._outcomes: dict[int, tuple[Any, str]] = {}

    def alive(self) -> bool:
        return self._process.poll() is None and self.owner == os.getpid()

    def open(self, job: Job) -> None:
        """Names the job that later requests are for."""
        self._channel.send(
            ("open", dataclasses.replace(job, storages=[Storage(0, each.skew) for each in job.storages]))
        )

    def submit(self, request: Any) -> int:
        """Has something compiled and returns its number."""
        self._next += 1
        self._channel.send(("compile", self._next, request))
        return self._next

    def wait(self, number: int, seconds: float) -> tuple[Any, str]:
        """Returns the facts of what was compiled, or None and why it was not."""
        until = time.monotonic() + seconds
        while number not in self._outcomes:
            try:
                message: Any = self._channel.receive(max(0.0, until - time.monotonic()))
            except Silent:
                return None, f"it was not compiled within {seconds:.0f} s"
            except Gone:
                return None, "the process that compiles is gone"
            if message[0] == "broken":
                return None, f"the process that compiles does not start: {message[1]}"
            self._outcomes[message[1]] = message[2:]
        return self._outcomes.pop(number)

    def drop(self) -> None:
        """Gives up what is not compiled yet."""
        self._channel.send(("drop",))

    def end(self) -> None:
        """Ends the process and its children."""
        if self.owner == os.getpid():
            _end(self._process, self._channel)


_workers: dict[str, Worker] = {}
_compilers: dict[tuple[str, ...], Compilers] = {}
_timer: threading.Timer | None = None


def worker(uuid: str, modules: Sequence[str]) -> Worker:
    """Returns the worker of a GPU, and starts it if there is none. The caller holds `tuning`."""
    stay()
    found = _workers.get(uuid)
    if found is None or not found.serves(modules):
        if found is not None:
            found.end()
        found = _workers[uuid] = Worker(uuid, modules)
    return found


def compilers(module: str, arguments: Sequence[str]) -> Compilers:
    """Returns the process that compiles, and starts it if there is none. The caller holds `tuning`."""
    key = (module, *arguments)
    found = _compilers.get(key)
    if found is None or not found.alive():
        found = _compilers[key] = Compilers(module, arguments)
    return found


def stay() -> None:
    """Puts the end of idle servers off."""
    global _timer
    if _timer is not None:
        _timer.cancel()
        _timer = None


def leave() -> None:
    """Has the servers end if nothing asks them for a while."""
    global _timer
    stay()
    _timer = threading.Timer(_IDLE_SECONDS, end_idle)
    _timer.daemon = True
    _timer.start()


def end_idle() -> None:
    """Ends all servers, unless a thread tunes."""
    if tuning.acquire(blocking=False):
        try:
            for server in _workers.values():
                server.end()
            for compiling in _compilers.values():
                compiling.end()
            _workers.clear()
            _compilers.clear()
        finally:
            tuning.release()


atexit.register(end_idle)

__all__ = ["Compilers", "Worker", "compilers", "end_idle", "leave", "start", "stay", "tuning", "worker"]
