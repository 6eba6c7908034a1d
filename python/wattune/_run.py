"""A run on a thread of its own: interrupts, progress, and the end of the interpreter."""

from __future__ import annotations

import atexit
import os
import signal
import threading

from . import _core
from ._errors import CancelledError
from ._log import deliver
from ._progress import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

_POLL_SECONDS = 0.1  # between two looks at the progress of a run
_GRACE_SECONDS = 0.4  # that a run gets to end, once after the second interrupt, and once after a function was ended


class _Interrupts:
    """Counts the interrupts (SIGINT) of the main thread while a run goes on.

    Python's own handler would raise KeyboardInterrupt anywhere. A handler of the application's stays.
    """

    def __init__(self, run: _core.Run) -> None:
        self.count = 0
        self._run = run
        self._before: Any = None

    def take(self, number: int = 0, frame: FrameType | None = None) -> None:
        """Takes an interrupt: the first ends the run after the launch in flight, the second at once."""
        self.count += 1
        if self.count == 1:
            self._run.cancel()
        else:
            self._run.abort()

    def __enter__(self) -> _Interrupts:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self.take)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


_RUNNING: set[_Worker] = set()


def _end_all() -> None:
    """Ends the runs of other threads when the interpreter exits; their journals have what was measured.

    A fork of the process has copies of the runs, which are not its own.
    """
    running = [each for each in _RUNNING if each.process == os.getpid()]
    if _RUNNING:
        _core.expect_leaks()  # threads that the interpreter stops, or that a fork lacks, keep what they hold
    for each in running:
        each.is_at_exit = True
        each.abort()
    for each in running:
        each.end_soon()


class _Worker:
    """The thread of a run."""

    def __init__(self, run: _core.Run) -> None:
        self.error: BaseException | None = None
        self.is_at_exit = False
        self.process = os.getpid()
        self._run = run
        self._over = threading.Event()
        if not _RUNNING:
            atexit.unregister(_end_all)
            atexit.register(_end_all)
        _RUNNING.add(self)
        self._thread = threading.Thread(target=self._work, name="wattune", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            try:
                self._run.execute()
            except BaseException as error:
                self.error = error
        except KeyboardInterrupt:  # of end_soon(), if it comes too late
            pass
        finally:
            _RUNNING.discard(self)
            self._over.set()

    def abort(self) -> None:
        """Ends the run at once."""
        self._run.abort()

    def wait(self, seconds: float) -> bool:
        """Waits for the end; returns whether it came."""
        return self._over.wait(seconds)

    def end_soon(self) -> None:
        """Waits a moment for the end after abort(). Ends a function of the caller's that does not return."""
        if not self.wait(_GRACE_SECONDS) and self._thread.ident is not None:
            _core.interrupt_thread(self._thread.ident)
            self.wait(_GRACE_SECONDS)

    def end(self) -> None:
        """Waits until the thread has ended, too."""
        self._thread.join()


def _follow(worker: _Worker, run: _core.Run, interrupts: _Interrupts, progress: bool | None) -> None:
    shown = display(progress)
    try:
        while not worker.wait(_POLL_SECONDS):
            deliver()
            shown.show(run.progress())
            if interrupts.count > 1:
                worker.end_soon()
                return
    finally:
        shown.close()


def _wait(run: _core.Run, progress: bool | None) -> None:
    with _Interrupts(run) as interrupts:
        worker = _Worker(run)
        while True:
            try:
                _follow(worker, run, interrupts, progress)
                break
            except KeyboardInterrupt:  # of an application's own handler
                interrupts.take()
            except BaseException:  # of such a handler, or of a handler of the log
                run.abort()
                worker.end_soon()
                raise
    if interrupts.count > 1:
        raise KeyboardInterrupt
    if worker.is_at_exit:
        raise SystemExit  # ends a thread without a word
    worker.end()
    deliver(run.notes())
    if worker.error is not None:
        error = worker.error
        worker.error = None
        if isinstance(error, CancelledError) and interrupts.count:
            raise KeyboardInterrupt from None
        raise error


def execute(run: _core.Run, progress: bool | None) -> None:
    """Runs on a thread of its own. Raises what ended the run early, with a note that says where the results are."""
    try:
        _wait(run, progress)
    except BaseException as error:
        journal = run.journal()
        if journal and hasattr(error, "add_note"):
            error.add_note(f"the results so far are in {journal}")
        raise
