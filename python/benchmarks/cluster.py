"""Measures the driver of wattune.cluster on evaluators that answer from a recording, so that nothing but it takes time.

    python python/benchmarks/cluster.py calls|rate|busy|faults|losses [--engine processes|ray] [--evaluators N]

`calls`: time of one call, one in flight. `rate`: Trials in a second, and the driver's processor time for each. `busy`:
share of the time that evaluators of 50 ms work. `faults`: 1,000 random losses over 200 runs, in this process. `losses`:
time until a killed evaluator is noticed. docs/results/cluster.md has the results.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from cluster_problems import HereFleet, kill, recording_in, spec_in
from wattune import cluster
from wattune.cluster import message, worker
from wattune.cluster.executors import ExecutorFleet, local_fleet
from wattune.cluster.opening import prepare
from wattune.cluster.seat import Seat, Ticket
from wattune.cluster.switchboard import Switchboard

_MILLISECONDS_OF_WORK = 50


def slow_answer(text: bytes, node: str = "") -> bytes:
    """Answers as an evaluator whose device takes 50 ms."""
    if message.parse_request(text).kind == message.RUN:
        time.sleep(1e-3 * _MILLISECONDS_OF_WORK)
    return worker.answer(text, node)


def fleet_of(engine: str, evaluators: int, *, slow: bool = False) -> Any:
    """Returns a fleet of this many evaluators."""
    if engine == "ray":
        return cluster.RayFleet("ray", evaluators)
    fleet: ExecutorFleet = local_fleet(evaluators)
    if slow:
        fleet.answer = slow_answer  # type: ignore[method-assign]
    return fleet


def calls(folder: Path, engine: str, evaluators: int) -> None:
    """Prints the time of a call, without the evaluator's own."""
    parameters = {"X": range(50), "Y": range(40)}
    options = {"device": f"replay:{recording_in(folder, parameters)}"}
    opening = prepare(spec_in(folder, parameters), options=options, sizes=None, constraints=(), goals={})
    fleet = fleet_of(engine, 1)
    seats = [Seat(handle, name) for handle, name in fleet.evaluators()]
    board = Switchboard(fleet, seats)
    from wattune.cluster.driver import open_all

    open_all(board, opening, print, threading.Event())
    taken = []
    for number in range(2_000):
        request = message.Request(message.RUN, 1, 1, 0, b"evaluate %d" % number).to_bytes()
        began = time.perf_counter()
        reply = message.parse_reply(fleet.submit(seats[0].handle, request).result())
        taken.append(time.perf_counter() - began - reply.seconds)
        assert reply.status == message.DONE
    taken.sort()
    middle, late = (1e3 * each for each in (statistics.median(taken), taken[int(0.99 * len(taken))]))
    print(f"{engine}: median {middle:.2f} ms, p99 {late:.2f} ms of {len(taken)} calls of one evaluator")
    fleet.close()


def rate(folder: Path, engine: str, evaluators: int, *, slow: bool = False) -> None:
    """Prints Trials in a second, the driver's time for each, and how busy the evaluators are."""
    parameters = {"X": range(50), "Y": range(10 if slow else 60)}
    spec, recording = spec_in(folder, parameters), recording_in(folder, parameters)
    fleet = fleet_of(engine, evaluators, slow=slow)
    kept: list[tuple[float, float, list[Seat]]] = []

    class Clock:
        def note(self, text: str) -> None:
            print(text)

        def show(self, seats: Any, progress: Any) -> None:
            if not kept or progress["evaluations"] > 0:
                kept.append((progress["elapsed"], time.process_time(), list(seats)))

        def close(self) -> None:
            pass

    began = time.perf_counter()
    results = cluster.tune(spec, fleet=fleet, device=f"replay:{recording}", strategy="exhaustive",
                           journal=folder / "rate.jsonl", progress=Clock())  # fmt: skip
    whole = time.perf_counter() - began
    first, last = kept[0], kept[-1]
    seconds, processor = last[0] - first[0], last[1] - first[1]
    share = len(results) * 1e-3 * _MILLISECONDS_OF_WORK / (seconds * evaluators)
    note = f", busy {share:.3f}" if slow else ""
    print(f"{engine}, {evaluators} evaluators: {len(results)} Trials, {len(results) / seconds:.0f} in a second, "
          f"{1e3 * processor / len(results):.2f} ms of the driver's processor each{note}, "
          f"with opening {whole:.1f} s")  # fmt: skip
    fleet.close()


def busy(folder: Path, engine: str, evaluators: int) -> None:
    """Prints how busy evaluators of 50 ms are."""
    rate(folder, engine, evaluators, slow=True)


class Faulty(HereFleet):
    """A fleet that loses evaluators before and after their work, at random."""

    def __init__(self, nodes: list[str], seed: int, faults: int) -> None:
        super().__init__(nodes)
        self.random = random.Random(seed)
        self.left = faults
        self.lost = 0

    def fault(self, handle: int, request: bytes) -> str:
        parsed = message.parse_request(request)
        if parsed.kind != message.RUN or not self.left or self.random.random() > 0.15:
            return ""
        self.left -= 1
        self.lost += 1
        return self.random.choice(["lost before", "lost after"])


def faults(folder: Path, engine: str, evaluators: int) -> None:
    """Prints what 1,000 losses over 200 runs leave."""
    parameters = {"X": range(8), "Y": range(10)}
    spec, recording = spec_in(folder, parameters), recording_in(folder, parameters)
    totals: Counter[str] = Counter()
    for seed in range(200):
        fleet = Faulty(["a", "a", "b", "c"], seed, 5)
        journal = folder / f"{seed}.jsonl"
        results = cluster.tune(spec, fleet=fleet, device=f"replay:{recording}", strategy="random", seed=seed,
                               evaluations=60, journal=journal)  # fmt: skip
        ids = Counter(json.loads(line)["id"] for line in journal.read_text().splitlines()[1:])
        totals["runs"] += 1
        totals["losses"] += fleet.lost
        totals["runs with exactly 60 Trials"] += len(ids) == len(results) == 60
        totals["Trials twice"] += sum(ids.values()) - len(ids)
        totals["failed as runtime"] += sum(each["status"] == "runtime" for each in results)
        totals["executions beyond 60"] += fleet.executed - 60
    print(dict(totals))


def losses(folder: Path, engine: str, evaluators: int) -> None:
    """Prints the time from the death of an evaluator's process to the driver's knowing it."""
    parameters = {"X": range(50), "Y": range(40)}
    options = {"device": f"replay:{recording_in(folder, parameters)}"}
    opening = prepare(spec_in(folder, parameters), options=options, sizes=None, constraints=(), goals={})
    fleet = fleet_of(engine, 1)
    seat = Seat(*fleet.evaluators()[0])
    taken = []
    for _ in range(10):
        board = Switchboard(fleet, [seat])
        from wattune.cluster.driver import Opener

        opener = Opener(board, opening, print)
        opener.begin(seat)
        pid = 0
        while not seat.is_open:
            ended = board.wait(60)
            assert ended is not None
            hello = ended[1].reply.result()
            if opener.take(*ended):
                pid = message.from_json(message.parse_reply(hello).body)["pid"]
        os.kill(pid, 19)  # SIGSTOP, so that the call is under way when the process is killed
        board.send(seat, message.RUN, Ticket(1, b"evaluate 1"))
        time.sleep(0.1)
        began = time.perf_counter()
        kill(pid)
        assert board.wait(60) is not None
        taken.append(time.perf_counter() - began)
        seat.give_up()
        fleet.replace(seat.handle)
    print(
        f"{engine}: noticed after {1e3 * statistics.median(taken):.0f} ms in the median, {1e3 * max(taken):.0f} at most"
    )
    fleet.close()


def main() -> None:
    """Runs one measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    measurements = {"calls": calls, "rate": rate, "busy": busy, "faults": faults, "losses": losses}
    parser.add_argument("what", choices=measurements)
    parser.add_argument("--engine", choices=("processes", "ray"), default="processes")
    parser.add_argument("--evaluators", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        measurements[options.what](Path(folder), options.engine, options.evaluators)


if __name__ == "__main__":
    main()
