"""tune(): a spec and evaluators in, results out."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import _core
from .._errors import exception, wrong
from .._results import Results
from .display import Display, Lines, Silence
from .driver import AHEAD, IN_FLIGHT, Driver, Note, open_all
from .executors import local_fleet
from .fleet import Fleet
from .groups import PROBE_SHARE, Group, choose, groups_of
from .opening import Opening, prepare
from .seat import Seat
from .switchboard import Switchboard


def tune(
    spec: str | os.PathLike[str],
    *,
    address: str = "local",
    fleet: Fleet | None = None,
    evaluators: int | None = None,
    group: str = "",
    probe: float | None = PROBE_SHARE,
    insecure: bool = False,
    device: str = "auto",
    sizes: Mapping[str, int] | None = None,
    constraints: Sequence[str] = (),
    minimize: str | Sequence[str] | None = None,
    maximize: str | Sequence[str] | None = None,
    slowdown: float | None = None,
    observe: Sequence[str] = (),
    counters: Sequence[str] = (),
    strategy: str = "",
    strategy_options: Mapping[str, float] | None = None,
    method: str = "",
    evaluations: int | None = None,
    seconds: float | None = None,
    fraction: float | None = None,
    no_improvement: int | None = None,
    seed: int = 1,
    journal: str | os.PathLike[str] | None = None,
    earlier: Sequence[Results] = (),
    cache: str = "warm",
    launch: str = "each",
    check_outputs: str = "every",
    min_samples: int | None = None,
    max_samples: int | None = None,
    compile_seconds: float | None = None,
    run_seconds: float | None = None,
    compile_processes: int | None = None,
    progress: bool | Display = False,
) -> Results:
    """Searches the configurations of a spec on many evaluators: GPUs of this machine or of a cluster.

    `address` says where they are: "local" starts processes on this machine, "ray" starts a Ray of its own on this
    machine, "auto" or "HOST:PORT" join a cluster of Ray, "ray://HOST:PORT" reaches one from outside. `fleet` is a Fleet
    of the caller's in its place, which the caller closes. `evaluators` is their number, by default one for each device.

    Evaluators are equal if model, driver, compiler, limits and clocks are, and Wattune and the spec. Only equal ones
    measure for one run: `group` names the group if there are several. `probe` is how far the time of the default
    configuration may be off the group's median, as a share; None asks for no probe, and processors never have one.

    The journal gets each result before its evaluator gets the next configuration; one that exists is continued. A
    configuration that costs an evaluator is tried once more, on another node if there is one. The second loss is its
    result (`runtime`). The other arguments are those of wattune.tune(), without functions of the caller's.

    `progress` shows a line for each evaluator on standard error, or is a Display of the caller's. Without it, notes go
    to logging.getLogger("wattune").

    An interrupt (Ctrl-C) ends the run within two seconds, and the results so far are returned. Raises
    InvalidArgumentError, MismatchError (several groups, another journal), UnavailableError (no evaluator is left, no
    Ray), and the other subclasses of Error.
    """
    options = {
        "device": device, "strategy": strategy, "strategy_options": dict(strategy_options or {}), "method": method,
        "seed": seed, "cache": cache, "launch": launch, "observe": list(observe), "counters": list(counters),
        "check": check_outputs, "min_samples": min_samples, "max_samples": max_samples,
        "compile_seconds": compile_seconds, "run_seconds": run_seconds, "compile_processes": compile_processes,
    }  # fmt: skip
    if evaluators is not None and evaluators < 1:
        raise wrong("a run needs one evaluator at least", evaluators)
    goals = {"objectives": _objectives(minimize, maximize), "slowdown": slowdown}
    opening = prepare(spec, options=options, sizes=sizes, constraints=constraints, goals=goals)
    stop = _core.StopRule(evaluations, seconds, None, fraction, no_improvement)
    search_options = {**options, "stop": stop, "earlier": [each._results for each in earlier]}
    display = progress if not isinstance(progress, bool) else Lines() if progress else Silence()
    note = display.note
    with contextlib.ExitStack() as stack:
        stack.callback(display.close)
        stopped = stack.enter_context(_interrupts())
        if fleet is None:
            fleet = make_fleet(address, opening, evaluators, insecure=insecure)
            stack.callback(fleet.close)
        seats = [Seat(handle, name) for handle, name in fleet.evaluators()]
        chosen = _open(fleet, seats, opening, group, note, stopped)
        file = "" if journal is None else os.fspath(journal)
        ahead = AHEAD if chosen.is_of_gpus or compile_processes else 0
        width = (IN_FLIGHT + ahead) * len(chosen.seats)
        search = _core.FleetSearch(opening.spec, search_options, chosen.seats[0].description, width, file)
        show = lambda: display.show(chosen.seats, search.progress())  # noqa: E731
        board = Switchboard(fleet, chosen.seats)
        has_probe = probe is not None and chosen.is_of_gpus
        driver = Driver(board, opening, search, probe=probe if has_probe else None, ahead=ahead, note=note,
                        stop=stopped, show=show)  # fmt: skip
        try:
            driver.run()
        finally:
            written = search.close()
        return Results(search.results(), journal=written)


def make_fleet(address: str, opening: Opening, evaluators: int | None, *, insecure: bool) -> Fleet:
    """Returns the fleet at an address. Raises UnavailableError, such as without Ray."""
    if address == "local":
        devices = 1 if opening.recording else 0
        return local_fleet(evaluators or devices or len(_core.devices_for(opening.spec, opening.options["device"])))
    from .ray_fleet import RayFleet

    return RayFleet(address, evaluators, insecure=insecure)


def _objectives(minimize: str | Sequence[str] | None, maximize: str | Sequence[str] | None) -> Any:
    def names(given: str | Sequence[str] | None) -> Sequence[str]:
        return () if given is None else (given,) if isinstance(given, str) else given

    objectives = [(name, False) for name in names(minimize)] + [(name, True) for name in names(maximize)]
    return objectives or None


def _open(fleet: Fleet, seats: list[Seat], opening: Opening, group: str, note: Note, stop: threading.Event) -> Group:
    """Opens the problem everywhere and returns the group that measures."""
    open_all(Switchboard(fleet, seats), opening, note, stop)
    if stop.is_set():
        raise exception("cancelled", "the run was cancelled while evaluators were opened", {})
    _leave_out_twins(seats, note)
    groups = groups_of(seats)
    if not groups:
        raise exception("unavailable", f"no evaluator could open the problem: {seats[0].left_out}", {})
    chosen = choose(groups, group)
    for seat in seats:
        if seat not in chosen.seats:
            fleet.replace(seat.handle)  # its process would only hold the device
    return chosen


def _leave_out_twins(seats: Sequence[Seat], note: Note) -> None:
    seen: dict[str, Seat] = {}
    for seat in seats:
        if not seat.is_open or not seat.uuid:
            continue
        if seat.uuid in seen:
            seat.is_open = False
            seat.left_out = f"{seen[seat.uuid].name} has the same device {seat.uuid}"
            note(f"{seat.name} is left out: {seat.left_out}")
        seen.setdefault(seat.uuid, seat)


@contextlib.contextmanager
def _interrupts() -> Iterator[threading.Event]:
    """Turns Ctrl-C into an event while the run goes on. A handler of the application's stays."""
    stopped = threading.Event()
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield stopped
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: stopped.set())
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGINT, before)
