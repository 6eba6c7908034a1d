"""Runs of Kernel Tuner's interface on the host: observers, checks, precision, objectives, strategies, sources."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from wattune.kernel_tuner import tune_kernel
from wattune.kernel_tuner.accuracy import AccuracyObserver, TunablePrecision
from wattune.kernel_tuner.kernelbuilder import PythonKernel
from wattune.kernel_tuner.limits import Limits, set_limits
from wattune.kernel_tuner.observers import BenchmarkObserver, OutputObserver

numpy = pytest.importorskip("numpy")

N = 64
SOURCE = """
float scale(float* a, const float* b, int n) {
  for (int i = 0; i < n; ++i) a[i] = b[i] * STEP;
  return 1.0f / STEP;
}
"""


@pytest.fixture
def arguments() -> list[Any]:
    return [numpy.zeros(N, numpy.float32), numpy.arange(N, dtype=numpy.float32), numpy.int32(N)]


def tuned(arguments: Sequence[Any], source: Any = SOURCE, name: str = "scale", **options: Any) -> Any:
    given = {"tune_params": {"block_size_x": [1], "STEP": [1, 2, 4]}, "lang": "C", "quiet": True, **options}
    return tune_kernel(name, source, N, arguments, **given)


class Sum(OutputObserver):
    def process_output(self, answers: Any, outputs: Any) -> None:
        assert answers is None
        self.sum = float(outputs[0].sum())
        assert outputs[1] is None or outputs[1].shape == (N,)

    def get_results(self) -> dict[str, Any]:
        return {"sum": self.sum}


class Own(BenchmarkObserver):
    def __init__(self, facts: Any) -> None:
        self.facts = facts

    def register_configuration(self, params: Any) -> None:
        self.step = params["STEP"]

    def get_results(self) -> dict[str, Any]:
        return {"step": self.step, "lang": self.facts["lang"], "on": self.dev.name}


def test_observers_and_objectives(arguments: list[Any]) -> None:
    results, env = tuned(
        arguments, observers=[Sum(), Own], metrics={"score": lambda p: p["sum"] / p["time"]}, objective="score",
        objective_higher_is_better=True,
    )  # fmt: skip
    total = float(arguments[1].sum())
    assert [each["sum"] for each in results] == [total, 2 * total, 4 * total]
    assert [each["step"] for each in results] == [1, 2, 4]
    assert {each["lang"] for each in results} == {"C"}
    assert results[0]["on"] == env["device_name"]
    assert env["best_config"]["STEP"] == 4
    front, env = tuned(arguments, observers=[Sum()], objectives={"time": False, "sum": False})
    assert [each["STEP"] for each in env["best_config"]] == [1, 2, 4]
    assert all(each["optimal"] for each in front)
    with pytest.raises(ValueError, match="no `speed`"):
        tuned(arguments, objective="speed", objective_higher_is_better=True)


def test_verify(arguments: list[Any]) -> None:
    seen = []

    def verify(answer: Any, outputs: Any, atol: float) -> bool:
        seen.append(atol)
        assert outputs[1] is None and outputs[2] is None
        return bool(numpy.allclose(answer[0] * 2, outputs[0], atol=atol))

    results, _ = tuned(arguments, answer=[arguments[1], None, None], verify=verify, atol=1e-3)
    assert ["__error__" in each for each in results] == [True, False, True]
    assert set(seen) == {1e-3}
    results, _ = tuned(arguments, verify=lambda answer, outputs: answer is None and outputs[0][2] == 8)
    assert ["__error__" in each for each in results] == [True, True, False]
    total = numpy.float32(arguments[1].sum() * 4)
    results, _ = tuned(arguments, answer=[total, None, None], verify=lambda a, b: bool(a[0] == b[0].sum()))
    assert ["__error__" in each for each in results] == [True, True, False], "an answer may be of any shape then"
    with pytest.raises(TypeError, match="returned None"):
        tuned(arguments, verify=lambda answer, outputs: None)


def test_an_answer_of_another_precision(arguments: list[Any]) -> None:
    results, _ = tuned(arguments, answer=[arguments[1].astype(numpy.float64) * 2, None, None])
    assert ["__error__" in each for each in results] == [True, False, True]


def test_precision_is_a_parameter() -> None:
    source = """
    template <typename T> float thirds(T* a, const T* b, int n) {
      for (int i = 0; i < n; ++i) a[i] = b[i] / T(3);
      return sizeof(T);
    }"""
    b = numpy.arange(1, N + 1, dtype=numpy.float64)
    arguments = [TunablePrecision("real", numpy.zeros(N)), TunablePrecision("real", b), numpy.int32(N)]
    results, env = tuned(
        arguments, source, "thirds<real>", answer=[b / 3, None, None], observers=[AccuracyObserver("max rel", "worst")],
        tune_params={"block_size_x": [1], "real": ["double", "float"]}, objective="worst",
        objective_higher_is_better=False,
    )  # fmt: skip
    assert [each["real"] for each in results] == ["double", "float"]
    assert [each["time"] for each in results] == [8.0, 4.0]
    assert results[0]["worst"] < 1e-15 < results[1]["worst"] < 1e-6
    assert env["best_config"]["real"] == "double"


def test_sources_of_every_kind(arguments: list[Any], tmp_path: Path) -> None:
    answer = [arguments[1] * 8, None, None]
    written = lambda p: SOURCE.replace("STEP", str(8 if p["STEP"] == 2 else 7))  # noqa: E731
    results, _ = tuned(arguments, written, answer=answer)
    assert ["__error__" in each for each in results] == [True, False, True]
    results, _ = tuned(arguments, SOURCE.replace("* STEP", "* FACTOR"), answer=answer,
                       defines={"FACTOR": lambda p: 2 * p["STEP"], "STEP": "STEP"})  # fmt: skip
    assert ["__error__" in each for each in results] == [True, True, False]
    header = tmp_path / "factor.cpp"
    header.write_text('#include "nested.h"\nstatic const int factor = twice * STEP;\n')
    (tmp_path / "nested.h").write_text("#define twice 2\n")
    results, _ = tuned(arguments, [f'#include "{header}"\n' + SOURCE.replace("* STEP", "* factor"), str(header)],
                       answer=answer)  # fmt: skip
    assert ["__error__" in each for each in results] == [True, True, False]


def test_headers_of_the_current_folder(arguments: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "factor.h").write_text("#define factor (8 / STEP)\n")
    monkeypatch.chdir(tmp_path)
    results, _ = tuned(arguments, '#include "factor.h"\n' + SOURCE.replace("* STEP", "* factor"),
                       answer=[arguments[1] * 2, None, None])  # fmt: skip
    assert ["__error__" in each for each in results] == [True, True, False]


def test_searches(arguments: list[Any]) -> None:
    space = {"block_size_x": [1], "STEP": list(range(1, 33))}
    results, _ = tuned(arguments, tune_params=space, strategy="random_sample", strategy_options={"max_fevals": 5})
    assert len(results) == 5
    again, _ = tuned(arguments, tune_params=space, strategy="random_sample", strategy_options={"max_fevals": 5})
    assert [each["STEP"] for each in again] == [each["STEP"] for each in results]
    most = 6
    results, _ = tuned(arguments, tune_params=space, restrictions=lambda p: p["STEP"] < most)
    assert [each["STEP"] for each in results] == [1, 2, 3, 4, 5]
    first, _ = tuned(
        arguments, tune_params=space, strategy="greedy_ils", strategy_options={"max_fevals": 3, "x0": [1, 17]}
    )
    assert first[0]["STEP"] == 17


def test_limits_of_the_process(arguments: list[Any]) -> None:
    space = {"block_size_x": [1], "STEP": list(range(1, 33))}
    set_limits(Limits(evaluations=4))
    try:
        assert len(tuned(arguments, tune_params=space)[0]) == 4
        assert len(tuned(arguments)[0]) == 3
    finally:
        set_limits(Limits())


def test_a_kernel_as_a_function(arguments: list[Any]) -> None:
    kernel = PythonKernel("scale", SOURCE, N, arguments, {"STEP": 3}, lang="C", outputs=[True, False, False])
    (found,) = kernel(*arguments)
    assert numpy.array_equal(found, 3 * arguments[1])
    (found,) = kernel(arguments[0], arguments[1] + 1, arguments[2])
    assert numpy.array_equal(found, 3 * (arguments[1] + 1))
    assert not arguments[0].any()
    with pytest.raises(ValueError, match="3 arguments"):
        kernel(arguments[0])


COMPARED = """
import json, sys
import numpy
from kernel_tuner import tune_kernel
source = '''float add(float* c, const float* a, int n) {
  for (int i = 0; i < n; ++i) c[i] = a[i] + STEP;
  return 1.0f / (STEP + block_size_x); }'''
a = numpy.arange(64, dtype=numpy.float32)
results, env = tune_kernel("add", source, 64, [numpy.zeros_like(a), a, numpy.int32(64)],
                           {"block_size_x": [32, 1024, 2048], "STEP": [1, 2, 3]}, lang="C", quiet=True,
                           restrictions=["block_size_x % 64 == 0 or STEP > 1"], cache=sys.argv[1])
print(json.dumps([[r["block_size_x"], r["STEP"], round(r["time"], 6)] for r in results]))
print(json.dumps([env["best_config"]["block_size_x"], env["best_config"]["STEP"]]))
"""


def test_kernel_tuner_itself_agrees_and_reads_the_cache(tmp_path: Path) -> None:
    """Runs a script here and in Kernel Tuner, with caches of each other."""
    theirs = shutil.which("kernel_tuner")
    python = Path(theirs).with_name("python") if theirs else None
    if python is None or not python.exists():
        pytest.skip("Kernel Tuner is not there: its command `kernel_tuner` is not in PATH")
    script = tmp_path / "script.py"
    script.write_text(COMPARED)

    def run(*command: str) -> str:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path, check=False)
        assert done.returncode == 0, done.stderr
        return "\n".join(line for line in done.stdout.splitlines() if line.startswith("["))

    ours = run(sys.executable, "-m", "wattune.kernel_tuner", str(script), "ours.json")
    assert run(str(python), str(script), "theirs.json") == ours
    assert run(str(python), str(script), "ours.json") == ours, "Kernel Tuner goes on with our cache"
    assert run(sys.executable, "-m", "wattune.kernel_tuner", str(script), "theirs.json") == ours
