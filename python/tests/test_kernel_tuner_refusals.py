"""What is refused, by its name and before a device is opened, and wrong arguments."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import wattune
from wattune.kernel_tuner import run_kernel, strategies, tune_kernel
from wattune.kernel_tuner.accuracy import AccuracyObserver
from wattune.kernel_tuner.observers import BenchmarkObserver
from wattune.kernel_tuner.observers.nvml import NVMLObserver
from wattune.kernel_tuner.refusals import LANGUAGES, MODULES, STRATEGIES, RefusedError

numpy = pytest.importorskip("numpy")

SOURCE = "__kernel void scale(__global float* a, int n) { a[get_global_id(0)] *= 2; }"


@pytest.fixture(autouse=True)
def no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened() -> Any:
        pytest.fail("a device was opened before the refusal")

    monkeypatch.setattr("wattune.kernel_tuner.devices._core.devices", opened)


def tuned(**options: Any) -> Any:
    given = {"kernel_name": "scale", "kernel_source": SOURCE, "problem_size": 64, "quiet": True,
             "arguments": [numpy.zeros(64, numpy.float32), numpy.int32(64)],
             "tune_params": {"block_size_x": [16, 32]}, **options}  # fmt: skip
    return tune_kernel(**given)


class Hooked(BenchmarkObserver):
    def before_start(self) -> None:
        pass

    def get_results(self) -> dict[str, Any]:
        return {}


class OwnStrategy:
    def tune(self, searchspace: Any, runner: Any, tuning_options: Any) -> None:
        pass


@pytest.mark.parametrize(
    ("options", "name"),
    [
        *(({"lang": lang}, lang) for lang in LANGUAGES),
        *(({"strategy": name}, name) for name in STRATEGIES),
        ({"texmem_args": {"t": 1}}, "texmem_args"),
        ({"strategy": OwnStrategy()}, "OwnStrategy"),
        ({"observers": [Hooked()]}, "before_start"),
        ({"observers": [lambda _: Hooked()]}, "Hooked"),
        ({"compiler": "clang"}, "clang"),
        ({"lang": "C", "compiler": "nvcc"}, "nvcc"),
        ({"smem_args": {"size": 4}}, "smem_args"),
        ({"tune_params": {"tile": [(1, 2), (2, 1)]}}, "tuple"),
        ({"tune_params": {"tegra_gr_clock": [1]}}, "tegra_gr_clock"),
        ({"tune_params": {"cuda_sm_percentage": [50]}}, "cuda_sm_percentage"),
    ],
)
def test_refused_by_name(options: dict[str, Any], name: str) -> None:
    with pytest.raises(RefusedError) as raised:
        tuned(**options)
    assert name in str(raised.value)
    assert "\n" not in str(raised.value)
    assert isinstance(raised.value, NotImplementedError)
    assert raised.value.hint


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"tune_params": [1]}, ValueError, "dict"),
        ({"tune_params": {"time": [1]}}, ValueError, "time"),
        ({"tune_params": {"x": 3}}, ValueError, "list of values"),
        ({"tune_params": {"nvml_gr_clock": [1000]}}, ValueError, "NVMLObserver"),
        ({"arguments": [numpy.zeros(64, numpy.float32), 64]}, TypeError, "numpy.int32"),
        ({"arguments": numpy.zeros(2)}, TypeError, "list"),
        ({"answer": [None]}, TypeError, "2 arguments"),
        ({"answer": [numpy.zeros(3, numpy.float32), None]}, ValueError, "3 elements"),
        ({"answer": [numpy.zeros(64, numpy.int8), None]}, TypeError, "int8"),
        ({"answer": [[1.0], None]}, TypeError, "list"),
        ({"answer": [None, 3]}, TypeError, "cannot change"),
        ({"verify": 3}, ValueError, "function"),
        ({"metrics": ["time"]}, ValueError, "dict"),
        ({"metrics": {"a": 3}}, ValueError, "neither"),
        ({"objective": "speed"}, ValueError, "objective_higher_is_better"),
        ({"objectives": ["time"]}, ValueError, "dict"),
        ({"strategy": "no_such"}, ValueError, "no_such"),
        ({"strategy_options": {"max_fevals": 5}}, ValueError, "max_fevals"),
        ({"strategy": "pso", "strategy_options": {"max_fevals": 0}}, ValueError, "greater"),
        ({"strategy": "pso", "strategy_options": {"x0": [16, 2]}}, ValueError, "x0"),
        ({"strategy": "pso", "strategy_options": {"unheard_of": 1}}, ValueError, "unheard_of"),
        ({"strategy": "bayes_opt", "strategy_options": {"x0": [16]}}, ValueError, "x0"),
        ({"strategy": "pso", "strategy_options": {"time_limit": 0}}, RuntimeError, "startup time"),
        ({"restrictions": [3]}, ValueError, "restriction"),
        ({"restrictions": [("x > 1", ["x"])]}, ValueError, "`x`"),
        ({"block_size_names": "x"}, ValueError, "block_size_names"),
        ({"block_size_names": ["a", "b", "c", "d"]}, ValueError, "three"),
        ({"iterations": 0}, ValueError, "iterations"),
        ({"observers": [3]}, TypeError, "BenchmarkObserver"),
        ({"observers": [AccuracyObserver()]}, ValueError, "`answer`"),
        ({"defines": ["a"]}, ValueError, "dict"),
        ({"compiler_options": "-O3"}, ValueError, "list"),
        ({"kernel_source": 3}, TypeError, "kernel_source"),
        ({"kernel_source": lambda _: SOURCE}, TypeError, "lang"),
        ({"kernel_source": "missing.cl"}, LookupError, "missing.cl"),
        ({"kernel_source": [SOURCE, "int x;"]}, ValueError, "files"),
        ({"lang": "Basic"}, ValueError, "BASIC"),
        ({"simulation_mode": True}, ValueError, "cache"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as raised:
        tuned(**options)
    assert "\n" not in str(raised.value)


def test_observables_of_the_board() -> None:
    with pytest.raises(RefusedError, match="power_readings"):
        NVMLObserver(["power_readings"])
    with pytest.raises(ValueError, match="speed"):
        NVMLObserver(["speed"])
    with pytest.warns(UserWarning, match="use_locked_clocks"):
        assert NVMLObserver(["nvml_power", "core_freq"], use_locked_clocks=True).sensors() == ["power"]
    with pytest.raises(RefusedError, match="save_all"):
        NVMLObserver(["nvml_power"], save_all=True)


def test_run_kernel_refuses_too() -> None:
    with pytest.raises(RefusedError, match="HIP"):
        run_kernel("scale", SOURCE, 64, [numpy.zeros(64, numpy.float32)], {}, lang="HIP")
    with pytest.raises(TypeError, match="numpy"):
        run_kernel("scale", SOURCE, 64, [3], {})


def test_options_that_change_nothing_are_named() -> None:
    with pytest.warns(UserWarning, match="maxiter"):
        plan = strategies.planned("pso", {"maxiter": 3, "popsize": 7, "max_fevals": 9, "time_limit": 2})
    assert plan == ("particle_swarm", {"population": 7.0}, 9, 2, None)
    assert strategies.planned("random_sample", None).fraction == 0.1
    assert strategies.planned("greedy_ils", {"neighbor": "adjacent"}).options == {"neighbourhood": 1.0}
    assert strategies.planned("greedy_ils", {}).evaluations == 100


def test_strategies_as_attributes() -> None:
    assert strategies.named(strategies.minimize) == "minimize"
    with pytest.raises(RefusedError, match="skopt"):
        _ = strategies.skopt
    with pytest.raises(AttributeError):
        _ = strategies.no_such
    known = {each["name"] for each in wattune.strategies()}
    for each in strategies.TABLE.values():
        assert each.here in known
        options = next(one["parameters"] for one in wattune.strategies() if one["name"] == each.here)
        assert set(each.options.values()) - {"fraction", None} <= set(options), each.name


SCRIPTS = [
    *((f"import kernel_tuner.{name}", name.split(".")[-1]) for name in MODULES),
    ("from kernel_tuner.utils.directives import Code", "directives"),
    ("from kernel_tuner.observers.pmt import PMTObserver", "pmt"),
    ("from kernel_tuner import tune_kernel\ntune_kernel('a', 'b', 1, [], {}, lang='HIP')", "HIP"),
    ("import kernel_tuner as kt\nkt.tune_kernel('a', 'b', 1, [], {}, texmem_args={'t': 1})", "texmem_args"),
    ("import kernel_tuner\nkernel_tuner.tune_kernel('a', 'b', 1, [], {}, strategy='skopt')", "skopt"),
]


@pytest.mark.parametrize(("text", "name"), SCRIPTS[-6:])
def test_scripts_are_refused_before_they_run(tmp_path: Path, text: str, name: str) -> None:
    script = tmp_path / "script.py"
    script.write_text("print('it runs')\n" + text + "\n")
    done = run_module(script)
    assert (done.returncode, done.stdout) == (3, "")
    assert name in done.stderr
    assert done.stderr.count("\n") == 1


def test_every_refused_module_is_found_in_a_script(tmp_path: Path) -> None:
    from wattune.kernel_tuner.scan import refusal_in

    for text, name in SCRIPTS:
        script = tmp_path / "script.py"
        script.write_text(text)
        error = refusal_in(str(script))
        assert error is not None and name in str(error)
    script.write_text(
        "from kernel_tuner import tune_kernel\ntune_kernel('a', '', 1, [], {}, lang='HIP', simulation_mode=True)"
    )
    assert refusal_in(str(script)) is None


def test_other_mistakes_of_the_command_line(tmp_path: Path) -> None:
    done = run_module(tmp_path / "none.py")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    script = tmp_path / "script.py"
    script.write_text("import kernel_tuner.no_such_module\n")
    done = run_module(script)
    assert done.returncode == 3
    assert "no_such_module" in done.stderr


def run_module(script: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wattune.kernel_tuner", str(script)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=script.parent, check=False)
