"""Measures what the Python package costs: importing, ask and tell, callbacks, a replay.

    python python/benchmarks/overhead.py

Recorded configurations are replayed by Kernel Tuner's simulation, too, if it is installed. Each figure is the least
processor time of several rounds.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import wattune

ROUNDS = 5


def least(function: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """Returns the least processor time of several calls, in seconds."""
    seconds = []
    for _ in range(rounds):
        begin = time.process_time()
        function()
        seconds.append(time.process_time() - begin)
    return min(seconds)


def measure_import() -> None:
    program = "import time; t = time.process_time(); import wattune{}; print(time.process_time() - t)"
    for what, more in (("import wattune", ""), ("with its module", "; wattune.Space")):
        runs = [subprocess.run([sys.executable, "-c", program.format(more)], capture_output=True, text=True, check=True)
                for _ in range(21)]  # fmt: skip
        print(f"{what}: {1e3 * min(float(run.stdout) for run in runs):.2f} ms")


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

        print(f"ask and tell, {strategy}, {space.count():,} configurations: {1e6 * least(drive) / evaluations:.2f} us")


def recorded() -> wattune.Results:
    """Returns results of 16,000 configurations."""
    search = wattune.Search({"block_size_x": range(1, 129), "tile": range(125)}, strategy="exhaustive", name="recorded")
    for configuration in search:
        search.tell(configuration, 1e-3 * (1 + configuration["block_size_x"] + configuration["tile"]))
    return search.results()


def measure_callback(results: wattune.Results) -> None:
    plain = least(lambda: wattune.tune(replay=results, strategy="exhaustive", progress=False))
    seen: list[int] = []
    called = least(
        lambda: wattune.tune(
            replay=results, strategy="exhaustive", progress=False, observers=[lambda _: seen.append(1)]
        )
    )
    print(f"a replay of {len(results):,} configurations: {plain:.3f} s, {1e6 * plain / len(results):.2f} us each")
    print(f"a Trial through a Python observer: {1e6 * (called - plain) / len(results):.2f} us more")


def measure_replay(results: wattune.Results) -> None:
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "recorded.json"
        results.write(cache, "kernel_tuner")
        cache.write_text(cache.read_text().replace('"problem_size":[]', '"problem_size":1', 1))
        seconds = least(lambda: wattune.tune(replay=wattune.read(cache), strategy="exhaustive", progress=False))
        print(f"reading the cache and replaying it: {seconds:.3f} s")
        with contextlib.suppress(ImportError):
            theirs = simulated_by_kernel_tuner(cache)
            print(f"Kernel Tuner's simulation of the same cache: {theirs:.3f} s, {theirs / seconds:.1f} times as long")


def simulated_by_kernel_tuner(cache: Path) -> float:
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

    return least(simulate, 3)


def main() -> None:
    measure_import()
    measure_ask_and_tell()
    results = recorded()
    measure_callback(results)
    measure_replay(results)


if __name__ == "__main__":
    main()
