"""Measures what the Python package costs: importing, ask and tell, callbacks, a replay.

    python python/benchmarks/overhead.py

Recorded configurations are replayed by Kernel Tuner's simulation, too, if it is installed, in turns with ours. Each
figure is the median of processor times with its 95 % interval, by the order of the rounds.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import wattune

ROUNDS = 15


def median(values: Sequence[float]) -> tuple[float, float, float]:
    """Returns the median with a 95 % interval, the ends of which are values (the sign test's)."""
    ordered = sorted(values)
    count = len(ordered)
    below, chance = 0, 0.5**count
    while chance + math.comb(count, below + 1) * 0.5**count <= 0.025:
        below += 1
        chance += math.comb(count, below) * 0.5**count
    return ordered[count // 2], ordered[below], ordered[count - 1 - below]


def shown(values: Sequence[float], unit: str, factor: float = 1.0) -> str:
    middle, low, high = (factor * each for each in median(values))
    return f"{middle:.3g} {unit} [{low:.3g}, {high:.3g}]"


def seconds_of(function: Callable[[], object]) -> float:
    """Returns the processor time of a call, in seconds."""
    begin = time.process_time()
    function()
    return time.process_time() - begin


def in_turns(*functions: Callable[[], object], rounds: int = ROUNDS) -> list[list[float]]:
    """Returns the processor times of each function, called in turns."""
    taken = [[seconds_of(each) for each in functions] for _ in range(rounds)]
    return [list(column) for column in zip(*taken)]


def measure_import() -> None:
    program = "import time; t = time.process_time(); import wattune{}; print(time.process_time() - t)"
    for more in ("", "; wattune.Space", "; wattune.Search", "; wattune.tune"):
        command = [sys.executable, "-c", program.format(more)]
        runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(2 * ROUNDS)]
        print(f"import wattune{more}: {shown([float(run.stdout) for run in runs], 'ms', 1e3)}")


def measure_ask_and_tell() -> None:
    parameters = {f"p{i}": list(range(8)) for i in range(10)}
    space = wattune.Space(parameters, ["p0 * p1 <= 40", "(p2 + p3) % 2 == 0"])
    for strategy in ("random", "greedy_ils"):
        evaluations = 20_000

        def drive(name: str = strategy, count: int = evaluations) -> None:
            search = wattune.Search(space, strategy=name, evaluations=count)
            ask, tell = search.ask, search.tell
            while (configuration := ask()) is not None:
                tell(configuration, 1e-3)

        (times,) = in_turns(drive)
        print(f"ask and tell, {strategy}, {space.count():,} configurations: {shown(times, 'us', 1e6 / evaluations)}")


def recorded() -> wattune.Results:
    """Returns results of 16,000 configurations."""
    search = wattune.Search({"block_size_x": range(1, 129), "tile": range(125)}, strategy="exhaustive", name="recorded")
    for configuration in search:
        search.tell(configuration, 1e-3 * (1 + configuration["block_size_x"] + configuration["tile"]))
    return search.results()


def replayed(results: wattune.Results, **options: Any) -> wattune.Results:
    return wattune.tune(replay=results, strategy="exhaustive", progress=False, **options)


def measure_callback(results: wattune.Results) -> None:
    seen: list[int] = []
    plain, called = in_turns(lambda: replayed(results), lambda: replayed(results, observers=[lambda _: seen.append(1)]))
    print(f"a replay of {len(results):,} configurations: {shown(plain, 'ms', 1e3)}")
    more = [b - a for a, b in zip(plain, called)]
    print(f"a Trial through a Python observer: {shown(more, 'us', 1e6 / len(results))} more")


def measure_replay(results: wattune.Results) -> None:
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "recorded.json"
        results.write(cache, "kernel_tuner")
        cache.write_text(cache.read_text().replace('"problem_size":[]', '"problem_size":1', 1))
        ours: list[Callable[[], object]] = [lambda: replayed(wattune.read(cache)), lambda: replayed(results)]
        theirs: list[Callable[[], object]] = []
        with contextlib.suppress(ImportError):
            theirs = [simulation_of_kernel_tuner(cache), lambda: json.loads(cache.read_text())]
        times = in_turns(*ours, *theirs)
        print(f"reading their cache and replaying it: {shown(times[0], 'ms', 1e3)}")
        print(f"replaying what was read before: {shown(times[1], 'ms', 1e3)}")
        if not theirs:
            return
        _, _, whole, parsing = times
        print(f"Kernel Tuner's simulation of the same cache: {shown(whole, 'ms', 1e3)}")
        print(f"of which parsing: {shown(parsing, 'ms', 1e3)}")
        ratios = [b / a for a, b in zip(times[0], whole)]
        print(f"times as long as ours: {shown(ratios, '')}")
        without = [(b - c) / a for a, b, c in zip(times[1], whole, parsing)]
        print(f"times as long as ours, both without parsing: {shown(without, '')}")


def simulation_of_kernel_tuner(cache: Path) -> Callable[[], None]:
    import kernel_tuner
    import numpy

    document = json.loads(cache.read_text())

    def simulate() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            results, _ = kernel_tuner.tune_kernel(
                document["kernel_name"], "__global__ void recorded() {}", 1, [numpy.int32(1)], document["tune_params"],
                cache=str(cache), simulation_mode=True, lang="CUDA", quiet=True,
            )  # fmt: skip
        assert len(results) == len(document["cache"])

    return simulate


def main() -> None:
    measure_import()
    measure_ask_and_tell()
    results = recorded()
    measure_callback(results)
    measure_replay(results)


if __name__ == "__main__":
    main()
