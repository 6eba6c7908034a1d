"""choose(): the configuration of a call, from what is known or by tuning it now."""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import hashlib
import logging
import math
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from .._core import Failed
from .._errors import Error, exception
from .._search import Search
from .._space import Space
from .._types import Configuration
from . import workers
from .arrays import Device
from .bench import Job
from .places import say, tuning_is_on
from .shipping import CannotShipError
from .winners import LIST, Kernel, Key, Known, Winners, chosen, place_of, shown

_LOGGER = logging.getLogger("wattune")

_FIRST_SECONDS = 60.0  # limit of the first candidate, whose time is unknown
_LEAST_SECONDS = 10.0  # limit of any other, to which 200 times the best time is added
_COMPILE_SECONDS = 120.0
_FINAL_SECONDS = 0.04
_FINALISTS = 4
_NEAR = 1.05  # a finalist takes at most so many times as long as the best
_TIE = 1.003  # the default wins a tie


@dataclasses.dataclass(frozen=True)
class Budget:
    """When a search ends. Without limits a list is measured completely, and a space as Search says."""

    evaluations: int | None = None
    seconds: float | None = None
    strategy: str = ""
    seed: int = 1


@dataclasses.dataclass
class Call:
    """A call that needs a configuration.

    `candidate` makes of a configuration what the worker's launcher takes. `compiler` is the module that compiles ahead,
    with its arguments, and `modules` are what the worker imports.
    """

    kernel: Kernel
    key: Key
    device: Device
    space: Space
    default: Configuration
    job: Callable[[], Job]
    candidate: Callable[[Configuration], Any]
    modules: Sequence[str]
    compiler: tuple[str, tuple[str, ...]] | None = None
    complete: bool = False
    """True if the space is a list that is measured completely."""
    finish: Callable[[], None] = lambda: None
    """Waits for the work that the caller gave the GPU."""
    capturing: Callable[[], bool] = lambda: False
    """Tells whether the caller captures a graph."""

    def __str__(self) -> str:
        return f"{self.kernel.name} ({shown(self.key)})"


def choose(call: Call, winners: Winners, budget: Budget, *, may_tune: bool) -> Known | None:
    """Returns the configuration for a call; None for the default. Says once why it is not the call's own winner."""
    known = _choose(call, winners, budget, may_tune)
    taken = (False, dict(call.default)) if known is None else (known.exact, known.configuration)
    chosen[place_of(call.kernel, call.device, call.key)] = taken
    return known


def _choose(call: Call, winners: Winners, budget: Budget, may_tune: bool) -> Known | None:
    known = winners.find(call.kernel, call.device, call.key)
    if known is not None:
        return known
    why = "tuning is off (WATTUNE_TUNING)"
    if may_tune and tuning_is_on():
        try:
            return tune(call, winners, budget)
        except CannotShipError as error:
            why = f"a worker cannot have the kernel: {error}; move it into a module"
        except Exception as error:  # whatever goes wrong in tuning, the call runs
            _LOGGER.debug("%s", error, exc_info=True)
            why = " ".join(str(error).split()) or type(error).__name__
    elif not may_tune:
        why = "a CUDA graph is captured or a graph compiled"
    near = winners.nearest(call.kernel, call.device, call.key)
    taken = "the default configuration" if near is None else f"a known configuration, {near.why}"
    say(
        (call.kernel, tuple(call.key.items()), may_tune),
        f"{call} runs {taken}, since nothing is recorded for it and {why}",
    )
    return near


def tune(call: Call, winners: Winners, budget: Budget, *, file: str | os.PathLike[str] | None = None) -> Known:
    """Measures configurations in a worker, keeps the winner and returns it. Raises Error and CannotShipError.

    Only one process at a time tunes a key; others wait and take its winner. What was measured before is in the journal.
    """
    journal = _journal(call, winners)
    with workers.tuning, _alone(journal, call):
        winners.reread()
        known = winners.find(call.kernel, call.device, call.key)
        if known is not None:
            if file is not None and known.samples:
                seconds = known.seconds, *known.interval
                place = call.kernel, call.device, call.key
                winners.put(*place, known.configuration, seconds, known.samples, tuned=True, file=file)
            return known
        call.finish()
        try:
            return _Tuning(call, winners, budget, journal).run(file)
        finally:
            workers.leave()


class _Tuning:
    def __init__(self, call: Call, winners: Winners, budget: Budget, journal: Path | None) -> None:
        self._call = call
        self._winners = winners
        self._begun = time.monotonic()
        self._worker = workers.worker(call.device.uuid, call.modules)
        self._compilers = None if call.compiler is None else workers.compilers(*call.compiler)
        evaluations = budget.evaluations
        if call.complete and evaluations is None and budget.seconds is None:
            evaluations = call.space.count()
        self._search = Search(
            call.space,
            strategy=budget.strategy or ("exhaustive" if call.complete else ""),
            evaluations=evaluations,
            seconds=budget.seconds,
            seed=budget.seed,
            name=str(call),
            journal=journal,
        )
        self._earlier = len(self._search)
        self._ahead = call.space.count() if call.complete else 2 * len(os.sched_getaffinity(0))
        self._compiled: dict[str, int] = {}
        self._spent: dict[str, float] = {}
        self._candidates: dict[str, Any] = {}

    def run(self, file: str | os.PathLike[str] | None) -> Known:
        call = self._call
        self._search._search.expected(self._ahead)  # so many are chosen with the first
        configuration = self._search._search.ask()
        if configuration is not None or len(self._search):
            job = call.job()
            if self._compilers is not None:
                self._compilers.open(job)
            self._compile_ahead(configuration)
            with self._clock("arrays"):
                self._open(job)
        try:
            while configuration is not None:
                self._search.tell(configuration, self._measured(configuration))
                configuration = self._search._search.ask()
                self._compile_ahead(configuration)
            return self._won(file)
        finally:
            if self._compilers is not None:
                self._compilers.drop()
            self._worker.close_job()

    @contextlib.contextmanager
    def _clock(self, what: str) -> Iterator[None]:
        begun = time.monotonic()
        try:
            yield
        finally:
            self._spent[what] = self._spent.get(what, 0.0) + time.monotonic() - begun

    def _open(self, job: Job) -> None:
        reply = self._worker.open(job, self._reference())
        if reply[0] == "no memory":
            raise _unavailable(f"its worker has not enough memory on the GPU: {reply[1]}")
        if reply[0] != "opened":
            raise _unavailable(f"its worker cannot run it: {reply[1]}")

    def _reference(self) -> Any:
        """Returns a candidate that an earlier run found right; None without one."""
        names = list(self._call.space.parameters())
        for each in self._search.results() if self._earlier else []:
            configuration = {name: each[name] for name in names}
            if each["status"] == "correct":
                with contextlib.suppress(_Refused):
                    self._compile(configuration)
                    return self._candidate(configuration)
        return None

    def _compile_ahead(self, first: Configuration | None) -> None:
        """Has the compilers begin with what is measured soon: of a list all, at once."""
        if self._compilers is None or first is None:
            return
        if self._call.complete and not self._compiled:
            names = list(self._call.space.parameters())
            known = [{name: each[name] for name in names} for each in self._search.results()] if self._earlier else []
            coming = [each for each in self._call.space if each not in known]
        else:
            coming = self._search._search.expected(self._ahead)
        for each in [first, *coming]:
            name = repr(each)
            if name not in self._compiled:
                try:
                    self._compiled[name] = self._compilers.submit(self._candidate(each))
                except _Refused:
                    self._compiled[name] = -1

    def _candidate(self, configuration: Configuration) -> Any:
        name = repr(configuration)
        if name not in self._candidates:
            try:
                self._candidates[name] = self._call.candidate(configuration)
            except CannotShipError:
                raise
            except Exception as error:
                raise _Refused(f"{type(error).__name__}: {error}") from None
        return self._candidates[name]

    def _compile(self, configuration: Configuration) -> None:
        """Waits until a configuration is compiled. Raises _Refused."""
        if self._compilers is None:
            return
        name = repr(configuration)
        if name not in self._compiled:
            self._compiled[name] = self._compilers.submit(self._candidate(configuration))
        number, self._compiled[name] = self._compiled[name], 0
        if number > 0:
            facts, why = self._compilers.wait(number, _COMPILE_SECONDS + 10)
            if facts is None:
                raise _Refused(why)

    def _measured(self, configuration: Configuration) -> list[float] | Failed:
        best = self._search.best
        seconds = None if best is None else best["time"]
        try:
            candidate = self._candidate(configuration)
            with self._clock("compilers"):
                self._compile(configuration)
        except _Refused as error:
            return Failed(str(error))
        limit = _FIRST_SECONDS if seconds is None else _LEAST_SECONDS + 200 * seconds
        with self._clock("measuring"):
            reply = self._worker.ask(("measure", candidate, seconds), limit)
        if reply[0] != "done":
            _LOGGER.info("%s: %s failed: %s", self._call, configuration, reply[1])
            return Failed(reply[1])
        if self._worker.reference is None:
            self._worker.reference = candidate
        return [max(each, 1e-9) for each in reply[1]]

    def _won(self, file: str | os.PathLike[str] | None) -> Known:
        """Runs the best in turns with the default, and keeps the winner."""
        call = self._call
        records = [each for each in self._search.results() if each["status"] == "correct"]
        if not records:
            failures = [each["message"] for each in self._search.results() if each["message"]]
            raise _unavailable(f"no configuration works: {failures[0] if failures else 'none was measured'}")
        records.sort(key=lambda each: float(each["time"]))
        near = [each for each in records[:_FINALISTS] if each["time"] <= _NEAR * records[0]["time"]]
        names = list(call.space.parameters())
        finalists = [{name: each[name] for name in names} for each in near]
        if call.default not in finalists and any(all(each[n] == call.default[n] for n in names) for each in records):
            finalists.append(dict(call.default))
        times = self._final(finalists)
        if times is None:
            winner, seconds, samples = finalists[0], (records[0]["time"],) * 3, 1
        else:
            medians = [statistics.median(each) for each in times]
            at = medians.index(min(medians))
            if call.default in finalists and medians[finalists.index(call.default)] <= _TIE * medians[at]:
                at = finalists.index(call.default)
            winner, seconds, samples = finalists[at], interval_of(times[at]), len(times[at])
        self._winners.put(call.kernel, call.device, call.key, winner, seconds, samples, tuned=True, file=file)
        told = len(self._search) - self._earlier
        spent = ", ".join(f"{what} {each:.2f} s" for what, each in self._spent.items())
        _LOGGER.info(
            "%s: %d configurations measured, %d known before, in %.2f s (waiting for %s); the best takes %.2f us: %s",
            call,
            told,
            self._earlier,
            time.monotonic() - self._begun,
            spent,
            1e6 * seconds[0],
            winner,
        )
        return Known(winner, seconds[0], True)

    def _final(self, finalists: Sequence[Configuration]) -> list[list[float]] | None:
        try:
            candidates = [self._candidate(each) for each in finalists]
            for each in finalists:
                self._compile(each)
        except _Refused:
            return None
        with self._clock("final"):
            reply = self._worker.ask(("turns", candidates, _FINAL_SECONDS), _FIRST_SECONDS)
        if reply[0] != "done":
            return None
        return [[max(each, 1e-9) for each in some] for some in reply[1]]


class _Refused(Exception):
    """A configuration that cannot be launched; str() says why."""


def _unavailable(text: str) -> Error:
    return exception("unavailable", text, {"message": text})


def interval_of(samples: Sequence[float]) -> tuple[float, float, float]:
    """Returns the median and its interval at 95 % by order statistics (normal approximation of the binomial)."""
    ordered = sorted(samples)
    half = 0.98 * math.sqrt(len(ordered))
    low = max(0, math.floor(len(ordered) / 2 - half))
    high = min(len(ordered) - 1, math.ceil(len(ordered) / 2 + half))
    return statistics.median(ordered), ordered[low], ordered[high]


def _journal(call: Call, winners: Winners) -> Path | None:
    """Returns the journal of a key; None if its folder cannot be written."""
    names = sorted(call.space.parameters())
    key = {name: value for name, value in call.key.items() if name != LIST}
    about = repr((call.kernel, call.device.name, sorted(key.items(), key=str), names))
    digits = hashlib.sha256(about.encode()).hexdigest()[:16]
    folder = winners.folder / "journals"
    name = "".join(each if each.isalnum() or each in "._-" else "_" for each in call.kernel.name)[-80:]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(f"{folder} is read-only")
    except OSError as error:
        say(("unwritable", folder), f"configurations are measured without a journal: {error}")
        return None
    return folder / f"{name}-{digits}.jsonl"


@contextlib.contextmanager
def _alone(journal: Path | None, call: Call) -> Iterator[None]:
    """Waits until no other process tunes the key."""
    if journal is None:
        yield
        return
    with open(journal.with_suffix(".lock"), "a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _LOGGER.info("%s waits for another process that tunes it", call)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
