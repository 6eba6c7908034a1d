"""Runs the examples of Kernel Tuner's repository unchanged, and compares with Kernel Tuner on five of them.

    python kernel_tuner_examples.py run FOLDER [--evaluations 100] [--only NAME]     # a line for each example
    python kernel_tuner_examples.py compare FOLDER --theirs PYTHON [--rounds 3]      # five examples, in turns

FOLDER is `examples` of a clone of github.com/KernelTuner/kernel_tuner. It is copied, so that it stays as it is. PYTHON
is an interpreter whose packages include Kernel Tuner 1.5.0 and a package for its device, such as cuda-python. This
program's own interpreter needs `wattune` and NumPy. docs/results/kernel_tuner.md has what it printed.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

COMPARED = (
    "cuda/vector_add.py",
    "cuda-c++/vector_add_blocksize.py",
    "cuda/spmv.py",
    "cuda/stencil.py",
    "cuda/zeromeanfilter.py",
)
"""The five examples that are compared, named before anything was measured."""
_FOLDERS = ("c", "cuda", "cuda-c++", "directives", "fortran", "hip", "opencl")
_ITERATIONS = 50  # runs of a winner in each turn
_TURNS = 8


def _copied(folder: str) -> Path:
    place = Path(tempfile.mkdtemp(prefix="examples-")) / "examples"
    shutil.copytree(folder, place)
    return place


def _verdict(code: int, errors: str) -> str:
    if code == 0:
        return "ran"
    if code == 3:
        return "refused"
    if code == 124:
        return "time is over"
    return "needs a device" if "there is no device" in errors else "failed"


def run_all(folder: str, evaluations: int, only: str | None, seconds: float) -> None:
    """Runs every example and prints a row of a table for each: verdict, seconds, and the last line of its messages."""
    place = _copied(folder)
    for example in [each for name in _FOLDERS for each in sorted((place / name).glob("*.py"))]:
        name = f"{example.parent.name}/{example.name}"
        if only and only not in name:
            continue
        command = [sys.executable, "-m", "wattune.kernel_tuner", "--evaluations", str(evaluations), example.name]
        start = time.perf_counter()
        try:
            done = subprocess.run(
                command, cwd=example.parent, capture_output=True, text=True, timeout=seconds, check=False
            )
            code, errors = done.returncode, done.stderr
        except subprocess.TimeoutExpired:
            code, errors = 124, ""
        spent = time.perf_counter() - start
        lines = [line for line in errors.strip().splitlines() if line.strip()]
        last = lines[-1].partition(": ")[2][:120] if code != 0 and lines else ""
        print(f"| `{name}` | {_verdict(code, errors)} | {spent:.1f} | {last} |", flush=True)


def _watched(calls: list[dict[str, Any]], tune: Callable[..., Any]) -> Callable[..., Any]:
    """Returns tune_kernel() that keeps what each call took and returned."""

    def tune_kernel(*arguments: Any, **options: Any) -> Any:
        start = time.perf_counter()
        results, env = tune(*arguments, **options)
        best = env["best_config"]
        names = list(options.get("tune_params") or arguments[4])
        calls.append({
            "seconds": time.perf_counter() - start,
            "valid": sorted(",".join(str(each[name]) for name in names) for each in results if "__error__" not in each),
            "best": {name: _plain(best[name]) for name in names},
        })  # fmt: skip
        return results, env

    return tune_kernel


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _replaced(script: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Runs a script whose tune_kernel() is another."""
    import kernel_tuner
    import kernel_tuner.interface

    made = make(kernel_tuner.interface.tune_kernel)
    kernel_tuner.interface.tune_kernel = made
    kernel_tuner.tune_kernel = made
    sys.argv = [script]
    sys.path.insert(0, os.getcwd())
    runpy.run_path(script, run_name="__main__")


def record(script: str, output: str) -> None:
    """Runs a script and writes what each tune_kernel() took and returned."""
    calls: list[dict[str, Any]] = []
    _replaced(script, lambda tune: _watched(calls, tune))
    Path(output).write_text(json.dumps(calls))


def race(script: str, winners: str, output: str) -> None:
    """Runs the winners of each tune_kernel() of a script in turns and writes their times in ms."""
    chosen = json.loads(Path(winners).read_text())
    times: list[dict[str, list[float]]] = []

    def make(tune: Callable[..., Any]) -> Callable[..., Any]:
        def tune_kernel(*arguments: Any, **options: Any) -> Any:
            found: dict[str, list[float]] = {"ours": [], "theirs": []}
            returned = None
            for turn in range(_TURNS):
                for who in ("ours", "theirs") if turn % 2 == 0 else ("theirs", "ours"):
                    single = {name: [value] for name, value in chosen[len(times)][who].items()}
                    given = [*arguments[:4], single, *arguments[5:]] if len(arguments) > 4 else list(arguments)
                    more = {**options, "iterations": _ITERATIONS, "quiet": True}
                    if len(arguments) <= 4:
                        more["tune_params"] = single
                    returned = tune(*given, **more)
                    found[who].append(returned[0][0]["time"])
            times.append(found)
            return returned

        return tune_kernel

    _replaced(script, make)
    Path(output).write_text(json.dumps(times))


def _called(python: str, mode: str, example: Path, *arguments: str) -> Any:
    """Runs this program in a mode, in the folder of an example, and returns what it wrote."""
    output = example.with_suffix(f".{mode}.json")
    command = [python, os.path.abspath(__file__), mode, example.name, *arguments, str(output)]
    done = subprocess.run(command, cwd=example.parent, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return json.loads(output.read_text())


def _compare(example: Path, name: str, theirs: str, rounds: int) -> None:
    ours_all, theirs_all = [], []
    for number in range(rounds):
        order = [("ours", sys.executable, "ours"), ("theirs", theirs, "theirs")]
        for who, python, mode in order if number % 2 == 0 else reversed(order):
            (ours_all if who == "ours" else theirs_all).append(_called(python, mode, example))
    pairs = zip(ours_all[-1], theirs_all[-1])
    winners = [{"ours": one["best"], "theirs": other["best"]} for one, other in pairs]
    file = example.with_suffix(".winners.json")
    file.write_text(json.dumps(winners))
    times = _called(sys.executable, "race", example, str(file))
    for call, found in enumerate(times):
        shares = [ours[call]["seconds"] / other[call]["seconds"] for ours, other in zip(ours_all, theirs_all)]
        ratios = sorted(a / b for a, b in zip(found["theirs"], found["ours"]))
        same = all(ours[call]["valid"] == other[call]["valid"] for ours, other in zip(ours_all, theirs_all))
        count = len(theirs_all[-1][call]["valid"])
        print(
            f"| `{name}` {call + 1} | {count}, {'the same' if same else 'NOT the same'} "
            f"| {statistics.median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f}) "
            f"| {statistics.median(shares):.2f} ({min(shares):.2f} to {max(shares):.2f}) |",
            flush=True,
        )


def compare(folder: str, theirs: str, rounds: int, names: Sequence[str]) -> None:
    """Compares with Kernel Tuner: the valid configurations, the winners in turns, and the wall time of each call."""
    place = _copied(folder)
    print(
        "| example, call | valid configurations | their winner's time over ours (range) | our wall time over theirs |"
    )
    print("| --- | --- | --- | --- |")
    for name in names:
        _compare(place / name, name, theirs, rounds)


def main() -> None:
    """Reads the command line."""
    if len(sys.argv) > 1 and sys.argv[1] in ("ours", "theirs", "race"):
        mode, script, *rest = sys.argv[1:]
        if mode != "theirs":
            from wattune.kernel_tuner.finder import install

            install()
        if mode == "race":
            race(script, *rest)
        else:
            record(script, *rest)
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=("run", "compare"))
    parser.add_argument("folder")
    parser.add_argument("--evaluations", type=int, default=300, help="configurations of each larger space")
    parser.add_argument("--seconds", type=float, default=1800, help="limit of each example")
    parser.add_argument("--only", help="a part of the names of the examples to run")
    parser.add_argument("--theirs", default="python", help="an interpreter with Kernel Tuner")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--examples", nargs="*", default=COMPARED, help="other examples than the five")
    given = parser.parse_args()
    if given.mode == "run":
        run_all(given.folder, given.evaluations, given.only, given.seconds)
    else:
        compare(given.folder, given.theirs, given.rounds, given.examples)


if __name__ == "__main__":
    main()
