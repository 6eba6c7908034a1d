"""The interface of Kernel Tuner: the kernels run, and results look as its scripts expect them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from wattune.kernel_tuner import run_kernel, tune_kernel

numpy = pytest.importorskip("numpy")

N = 4096
OPENCL = """
__kernel void add(__global float* c, __global const float* a, __global const float* b, int n) {
  int i = get_group_id(0) * block_size_x * PER + get_local_id(0);
  for (int k = 0; k < PER; ++k, i += block_size_x)
    if (i < n) c[i] = a[i] + b[i];
}
"""
HOST = """
#include <chrono>
float add(float* c, const float* a, const float* b, int n) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < n; i += STEP)
    for (int j = i; j < i + STEP && j < n; ++j) c[j] = a[j] + b[j];
  return std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - start).count();
}
"""
FORTRAN = """
function add(c, a, b, n) result(milliseconds)
  use iso_c_binding
  real(c_float) :: c(*), a(*), b(*)
  integer(c_int), value :: n
  real(c_float) :: milliseconds
  integer :: i
  do i = 1, n, STEP
    c(i:min(n, i + STEP - 1)) = a(i:min(n, i + STEP - 1)) + b(i:min(n, i + STEP - 1))
  end do
  milliseconds = 0.25
end function
"""


@pytest.fixture
def arrays() -> list[Any]:
    generator = numpy.random.default_rng(1)
    a, b = generator.random((2, N), dtype=numpy.float32)
    return [numpy.zeros(N, numpy.float32), a, b, numpy.int32(N)]


@pytest.fixture
def answer(arrays: list[Any]) -> list[Any]:
    return [arrays[1] + arrays[2], None, None, None]


def on_opencl(arrays: list[Any], source: Any = OPENCL, **options: Any) -> Any:
    given = {"tune_params": {"block_size_x": [16, 64], "PER": [1, 2]}, "grid_div_x": ["block_size_x", "PER"],
             "quiet": True, **options}  # fmt: skip
    return tune_kernel("add", source, N, arrays, **given)


def on_host(arrays: list[Any], source: Any = HOST, **options: Any) -> Any:
    given = {"lang": "C", "quiet": True, "tune_params": {"block_size_x": [1], "STEP": [1, 2, 4]}, **options}
    return tune_kernel("add", source, N, arrays, **given)


def test_results_on_opencl(arrays: list[Any], answer: list[Any]) -> None:
    results, env = on_opencl(arrays, answer=answer, metrics={"rate": lambda p: N / p["time"], "twice": "2 * rate"})
    assert [(each["block_size_x"], each["PER"]) for each in results] == [(16, 1), (16, 2), (64, 1), (64, 2)]
    for each in results:
        assert len(each["times"]) == 7
        assert each["time"] == pytest.approx(float(numpy.median(each["times"])))
        assert each["twice"] == pytest.approx(2 * N / each["time"])
        assert {"compile_time", "verification_time", "benchmark_time", "framework_time", "strategy_time",
                "timestamp"} <= each.keys()  # fmt: skip
    assert list(results[0])[:4] == ["block_size_x", "PER", "time", "times"]
    assert env["best_config"] in results
    assert env["device_name"]
    assert env["total_compile_time"] == pytest.approx(sum(each["compile_time"] for each in results))
    assert not arrays[0].any(), "the caller's arrays stay as they are"
    json.dumps(results)


def test_parameters_may_have_names_of_opencl(arrays: list[Any], answer: list[Any]) -> None:
    """The headers of PoCL use read_only, and do not see the macros of a kernel."""
    source = OPENCL.replace("PER", "read_only")
    results, _ = on_opencl(arrays, source, answer=answer, tune_params={"block_size_x": [64], "read_only": [1, 2]},
                           grid_div_x=["block_size_x", "read_only"])  # fmt: skip
    assert not any("__error__" in each for each in results)


def test_results_on_the_host(arrays: list[Any], answer: list[Any]) -> None:
    results, env = on_host(arrays, answer=answer, iterations=3)
    assert [each["STEP"] for each in results] == [1, 2, 4]
    assert all(len(each["times"]) == 3 for each in results)
    assert env["best_config"]["STEP"] in (1, 2, 4)


def test_a_function_of_the_host_takes_pointers_of_its_own_types(arrays: list[Any], answer: list[Any]) -> None:
    source = """
    typedef float vector __attribute__((vector_size(STEP * 4)));
    extern "C" float add(vector* c, vector* a, vector* b, int n) {
      for (int i = 0; i < n / STEP; ++i) c[i] = a[i] + b[i];
      return 0.5f;
    }"""
    results, _ = on_host(arrays, source, answer=answer)
    assert [each["time"] for each in results] == [0.5, 0.5, 0.5]


@pytest.mark.skipif(not __import__("shutil").which("gfortran"), reason="gfortran is not there")
@pytest.mark.parametrize("in_module", [False, True])
def test_fortran(arrays: list[Any], answer: list[Any], in_module: bool) -> None:
    source = f"module sums\ncontains\n{FORTRAN}\nend module sums\n" if in_module else FORTRAN
    results, _ = on_host(arrays, source, answer=answer, lang="fortran", compiler="gfortran")
    assert [each["time"] for each in results] == [0.25, 0.25, 0.25]


def test_run_kernel_returns_all_arguments(arrays: list[Any]) -> None:
    for source, lang, params in ((OPENCL, None, {"block_size_x": 64, "PER": 1}), (HOST, "C", {"STEP": 4})):
        found = run_kernel("add", source, N, arrays, params, lang=lang, quiet=True)
        assert len(found) == 4
        assert numpy.array_equal(found[0], arrays[1] + arrays[2])
        assert numpy.array_equal(found[1], arrays[1])
        assert found[3] == N


def test_failures_have_a_marker(arrays: list[Any], answer: list[Any]) -> None:
    wrong = OPENCL.replace("a[i] + b[i]", "a[i] + b[i] * (PER == 1)")
    results, env = on_opencl(arrays, source=wrong, answer=answer, tune_params={"block_size_x": [64], "PER": [1, 2]})
    assert ["__error__" in each for each in results] == [False, True]
    assert str(results[1]["__error__"]) == "RuntimeFailedConfig"
    assert "time" not in results[1]
    assert env["best_config"]["PER"] == 1
    broken = OPENCL.replace("int i", "#if PER == 2\n#error this one\n#endif\nint i", 1)
    results, _ = on_opencl(arrays, source=broken, tune_params={"block_size_x": [64], "PER": [1, 2]})
    assert str(results[1]["__error__"]) == "CompilationFailedConfig"
    assert json.loads(json.dumps(results))[1]["__error__"] == "CompilationFailedConfig"


def test_nothing_correct_is_an_error(arrays: list[Any], answer: list[Any]) -> None:
    with pytest.raises(RuntimeError, match="no configuration is correct") as raised:
        on_host(arrays, HOST.replace("a[j] + b[j]", "a[j]"), answer=answer)
    assert len(raised.value.results) == 3  # type: ignore[attr-defined]


def test_a_script_runs_unchanged_and_installed_modules_lose(tmp_path: Path) -> None:
    elsewhere = tmp_path / "site" / "kernel_tuner"
    elsewhere.mkdir(parents=True)
    (elsewhere / "__init__.py").write_text("raise SystemExit('the installed one')\n")
    script = tmp_path / "script.py"
    script.write_text(
        f"import sys\nsys.path.insert(0, {str(elsewhere.parent)!r})\n"
        "import kernel_tuner\nimport kernel_tuner.observers.nvml as nvml\nfrom kernel_tuner import util\n"
        "from kernel_tuner.accuracy import TunablePrecision\n"
        "print(kernel_tuner.__name__, nvml.__name__, util.__name__, sys.argv[1:])\n"
    )
    done = run_module(script, "--flag")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["wattune.kernel_tuner", "wattune.kernel_tuner.observers.nvml",
                                   "wattune.kernel_tuner.util", "['--flag']"]  # fmt: skip


def run_module(script: Path, *arguments: str, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wattune.kernel_tuner", *options, str(script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=script.parent, check=False)
