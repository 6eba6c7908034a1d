"""Compares wattune.triton with Triton's own autotuner on an NVIDIA GPU, and writes what it saw as JSON.

    PYTHONPATH=build/release/python python3 python/benchmarks/triton_kernels.py --out triton.json [--only matmul,...]

Every step is a process of its own. The caches of both start empty. `first` is the time of the first call of each size,
summed over the sizes, with all that belongs to it. Then the picks of both run again in turns, timed by neither of them.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

SIDES = ("wattune", "triton", "space")


def _autotuned(name: str, side: str) -> tuple[Any, Any]:
    import triton
    from triton_subjects import SUBJECTS

    subject = SUBJECTS[name]
    if side == "triton":
        return subject, triton.autotune(configs=subject.configs, key=subject.key)(subject.kernel)
    import wattune.triton

    if side == "space":
        decorate = wattune.triton.autotune(
            parameters=subject.parameters, constraints=subject.constraints, key=subject.key, outputs=subject.outputs,
            seconds=float(os.environ.get("SPACE_SECONDS", "5")),
        )  # fmt: skip
    else:
        decorate = wattune.triton.autotune(configs=subject.configs, key=subject.key, outputs=subject.outputs)
    return subject, decorate(subject.kernel)


def _described(config: Any) -> dict[str, Any]:
    return {name: value for name, value in config.all_kwargs().items() if value is not None}


def first_calls(name: str, side: str) -> dict[str, Any]:
    """Returns the seconds of the first call of each size, and the configuration that it chose."""
    import torch

    torch.zeros(1, device="cuda")  # the context of the process is not part of tuning
    subject, kernel = _autotuned(name, side)
    seconds, picks = [], []
    for size in subject.sizes:
        arguments, named, grid = subject.arguments(*size)
        torch.cuda.synchronize()
        begun = time.perf_counter()
        kernel[grid](*arguments, **named)
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - begun)
        picks.append(_described(kernel.best_config))
    return {"seconds": seconds, "sum": sum(seconds), "picks": picks}


def second_process(name: str) -> dict[str, Any]:
    """Returns what a process that finds all winners adds to the first call of each size, in seconds."""
    import torch

    torch.zeros(1, device="cuda")
    subject, kernel = _autotuned(name, "wattune")
    added: list[float] = []
    choose = kernel._choose

    def timed(*arguments: Any) -> Any:
        begun = time.perf_counter()
        try:
            return choose(*arguments)
        finally:
            added.append(time.perf_counter() - begun)

    kernel._choose = timed
    picks = []
    for size in subject.sizes:
        arguments, named, grid = subject.arguments(*size)
        kernel[grid](*arguments, **named)
        picks.append(_described(kernel.best_config))
    from wattune._calls import workers

    return {"added": added, "picks": picks, "workers_started": len(workers._workers)}


def warm_calls(name: str) -> dict[str, Any]:
    """Returns the seconds of the host for a call that is tuned, of Triton's autotuner and of ours, in turns."""
    import torch

    kernels = {side: _autotuned(name, side) for side in ("triton", "wattune")}
    subject = kernels["triton"][0]
    arguments, named, grid = subject.arguments(*subject.sizes[0])
    times: dict[str, list[float]] = {side: [] for side in kernels}
    for side in kernels:
        kernels[side][1][grid](*arguments, **named)
    for _ in range(30):
        for side, (_, kernel) in kernels.items():
            torch.cuda.synchronize()
            begun = time.perf_counter()
            for _ in range(200):
                kernel[grid](*arguments, **named)
            times[side].append((time.perf_counter() - begun) / 200)
    return {side: statistics.median(each) for side, each in times.items()}


def in_turns(name: str, picks: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Times the picks of each side again, in turns, with a cold L2 cache, by events around single launches."""
    import torch
    from triton_subjects import SUBJECTS

    subject = SUBJECTS[name]
    flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    rows = []
    for at, size in enumerate(subject.sizes):
        arguments, named, grid = subject.arguments(*size)
        launches = {
            side: partial(subject.kernel[grid], *arguments, **named, **each[at]) for side, each in picks.items()
        }
        times: dict[str, list[float]] = {side: [] for side in launches}
        for launch in launches.values():
            launch()
        torch.cuda.synchronize()
        once = {}
        for side, launch in launches.items():
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            launch()
            end.record()
            torch.cuda.synchronize()
            once[side] = begin.elapsed_time(end)
        rounds = max(20, min(200, int(300 / (sum(once.values()) + 0.3))))
        events = {
            side: [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(rounds)] for side in launches
        }
        for turn in range(rounds):
            order = list(launches) if turn % 2 == 0 else list(launches)[::-1]
            for side in order:
                flush.zero_()
                events[side][turn][0].record()
                launches[side]()
                events[side][turn][1].record()
        torch.cuda.synchronize()
        for side, pairs in events.items():
            times[side] = [begin.elapsed_time(end) * 1e-3 for begin, end in pairs]
        row: dict[str, Any] = {"size": size, "rounds": rounds}
        row["seconds"] = {side: statistics.median(each) for side, each in times.items()}
        for side in launches:
            ratios = sorted(b / a for a, b in zip(times["triton"], times[side]))
            half = int(0.98 * len(ratios) ** 0.5) + 1
            middle = len(ratios) // 2
            row[f"{side} over triton"] = [statistics.median(ratios), ratios[middle - half], ratios[middle + half]]
        rows.append(row)
    return rows


STEPS = {"first": first_calls, "second": second_process, "warm": warm_calls, "turns": in_turns}


_until = float("inf")
"""When no step begins any more, by the clock of time.monotonic()."""


def _step(environment: dict[str, str], *arguments: Any) -> Any:
    """Runs a step in a process of its own and returns its result."""
    left = _until - time.monotonic()
    if left < 5:
        return {"failed": "the limit of time is over"}
    command = [sys.executable, __file__, "--step", json.dumps(arguments)]
    begun = time.perf_counter()
    try:
        run = subprocess.run(
            command,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=min(left, 900),
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        said = (error.stderr or b"").decode()[-4000:]
        print("stopped", arguments, said, flush=True)
        return {"failed": "stopped", "stderr": said}
    print(run.stderr[-6000:], flush=True)
    if run.returncode != 0:
        return {"failed": run.stderr[-2000:], "returncode": run.returncode}
    made = json.loads(run.stdout.splitlines()[-1])
    if isinstance(made, dict):
        made["process_seconds"] = time.perf_counter() - begun
    return made


def environments(name: str, folder: Path) -> dict[str, dict[str, str]]:
    """Returns the caches of each side, for the environment."""
    return {
        side: {
            "TRITON_CACHE_DIR": str(folder / name / side / "compiled"),
            "WATTUNE_CACHE_DIR": str(folder / name / side / "wattune"),
        }
        for side in SIDES
    }


def compare(name: str, folder: Path, sides: tuple[str, ...], result: dict[str, Any]) -> None:
    """Runs the first calls of all sides and times their picks again in turns."""
    caches = environments(name, folder)
    for side in sides:
        result[side] = _step(caches[side], "first", name, side)
        print(name, side, "first calls", result[side].get("sum"), result[side].get("seconds"), flush=True)
    picks = {side: result[side]["picks"] for side in sides if "picks" in result[side]}
    if "triton" in picks:
        result["turns"] = _step(caches["triton"], "turns", name, picks)
        for row in result["turns"] if isinstance(result["turns"], list) else []:
            print(name, row, flush=True)


def again(name: str, folder: Path, result: dict[str, Any]) -> None:
    """Runs what later processes do: with the winners of ours, and with the compiled code of Triton."""
    caches = environments(name, folder)
    result["second"] = _step(caches["wattune"], "second", name)
    result["warm"] = _step(caches["wattune"], "warm", name)
    print(name, "second", result["second"], "warm", result["warm"], flush=True)
    result["triton again"] = _step(caches["triton"], "first", name, "triton")
    print(name, "triton again", result["triton again"].get("sum"), flush=True)


def ranks(name: str, folder: Path, count: int) -> dict[str, Any]:
    """Returns the choices of several processes that start at once with empty caches."""
    environment = {
        **os.environ,
        "TRITON_CACHE_DIR": str(folder / "ranks" / "compiled"),
        "WATTUNE_CACHE_DIR": str(folder / "ranks" / "wattune"),
    }
    command = [sys.executable, __file__, "--step", json.dumps(["first", name, "wattune"])]
    begun = time.perf_counter()
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    outputs = [each.communicate(timeout=900)[0] for each in running]
    choices = {json.dumps(json.loads(each.splitlines()[-1])["picks"]) if each else "failed" for each in outputs}
    return {"processes": count, "choices": len(choices), "seconds": time.perf_counter() - begun}


def main() -> None:
    """Runs the steps that the arguments choose, and writes what is known after each."""
    global _until
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", default="matmul,softmax,attention,layer_norm")
    parser.add_argument("--sides", default=",".join(SIDES))
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--limit", type=float, default=3600, help="seconds after which no step begins")
    parser.add_argument("--step", help=argparse.SUPPRESS)
    given = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    if given.step:
        import logging

        logging.basicConfig(level=logging.INFO, format="%(relativeCreated)d ms %(message)s")
        name, *arguments = json.loads(given.step)
        print(json.dumps(STEPS[name](*arguments)))
        return
    _until = time.monotonic() + given.limit
    import torch
    import triton

    facts = {"torch": torch.__version__, "triton": triton.__version__, "python": sys.version.split()[0]}
    result: dict[str, Any] = {"versions": facts, "device": torch.cuda.get_device_name(0), "kernels": {}}
    names = given.only.split(",")

    def write() -> None:
        if given.out:
            given.out.write_text(json.dumps(result, indent=1))

    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            result["kernels"][name] = {}
            compare(name, Path(folder), tuple(given.sides.split(",")), result["kernels"][name])
            write()
        for name in names:
            again(name, Path(folder), result["kernels"][name])
            write()
        if given.ranks and time.monotonic() < _until:
            result["ranks"] = ranks("softmax", Path(folder), given.ranks)
            print("ranks", result["ranks"], flush=True)
    write()


if __name__ == "__main__":
    main()
