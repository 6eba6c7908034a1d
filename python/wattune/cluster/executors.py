"""A fleet over executors of `concurrent.futures`: a process pool of this machine, or Parsl's for Slurm, PBS and LSF."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from typing import Any

from . import worker
from .fleet import EvaluatorLost, Handle


class ExecutorFleet:
    """A fleet in which each evaluator is an executor of one process.

    `make` returns the executor of an evaluator, given its position. Executors of several processes cannot serve, since
    nobody could say which process takes a call. `nodes` names the machine of each evaluator; with an empty name the
    evaluator says its own. `lost` are exceptions that mean that the process is gone.
    """

    answer = staticmethod(worker.answer)
    """What an evaluator does with a request and the name of its node."""

    def __init__(self, make: Callable[[int], Executor], nodes: Sequence[str],
                 lost: tuple[type[BaseException], ...] = (BrokenExecutor,)) -> None:  # fmt: skip
        self._make = make
        self._nodes = list(nodes)
        self._lost = lost
        self._executors: list[Executor | None] = [None] * len(self._nodes)

    def evaluators(self) -> Sequence[tuple[Handle, str]]:
        """Returns the evaluators, which are numbers from 0."""
        return [(position, f"evaluator {position}") for position in range(len(self._nodes))]

    def submit(self, handle: Handle, request: bytes) -> Future[bytes]:
        """Submits the request to the evaluator's executor."""
        assert isinstance(handle, int)
        reply: Future[bytes] = Future()
        executor = self._executors[handle]
        if executor is None:
            executor = self._executors[handle] = self._make(handle)
        try:
            submitted = executor.submit(self.answer, request, self._nodes[handle])
        except self._lost as error:
            reply.set_exception(EvaluatorLost(str(error)))
            return reply
        submitted.add_done_callback(lambda done: self._pass_on(done, reply))
        return reply

    def _pass_on(self, done: Future[bytes], reply: Future[bytes]) -> None:
        if done.cancelled():
            reply.set_exception(EvaluatorLost("the call was cancelled"))
            return
        error = done.exception()
        if error is None:
            reply.set_result(done.result())
        elif isinstance(error, self._lost):
            reply.set_exception(EvaluatorLost(str(error)))
        else:
            reply.set_exception(error)

    def replace(self, handle: Handle) -> None:
        """Ends the evaluator's processes as far as its executor can. The next call starts another executor."""
        assert isinstance(handle, int)
        executor, self._executors[handle] = self._executors[handle], None
        if executor is not None:
            _end(executor)

    def close(self) -> None:
        """Ends all evaluators."""
        for handle in range(len(self._executors)):
            self.replace(handle)


def _end(executor: Executor) -> None:
    # Python 3.14 has ProcessPoolExecutor.kill_workers(). Before, its processes are found in a member without a name of
    # its own in the documentation.
    processes: dict[int, Any] = getattr(executor, "_processes", None) or {}
    for process in list(processes.values()):
        process.kill()
    # Killed processes end at once. Without waiting for the executor's thread, the interpreter's exit may meet its pipe
    # when it is closed already.
    executor.shutdown(wait=bool(processes), cancel_futures=True)


def local_fleet(count: int, nodes: Sequence[str] = ()) -> ExecutorFleet:
    """Returns a fleet of `count` processes of this machine. They end when this process ends, however it does."""

    def make(_: int) -> Executor:
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(1, mp_context=context, initializer=worker.prepare, initargs=(os.getpid(),))

    return ExecutorFleet(make, list(nodes) or [""] * count)
