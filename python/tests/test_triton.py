"""wattune.triton without a GPU: Triton compiles for sm_90, and the GPU is that of fake_gpu.py, in the worker too."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

triton = pytest.importorskip("triton", reason="Triton is not installed, so wattune.triton is not tested")
pytest.importorskip("wattune.triton", reason="wattune.triton cannot be imported")

import fake_gpu  # noqa: E402
import kernels  # noqa: E402
import wattune  # noqa: E402
from wattune._calls import places, workers  # noqa: E402
from wattune.triton import autotune  # noqa: E402

N = 3000
FAST = 1024


def configs(*blocks: int, num_warps: int = 4) -> list[triton.Config]:
    return [triton.Config({"BLOCK": block}, num_warps=num_warps) for block in blocks]


def grid(meta: dict[str, int]) -> tuple[int]:
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


@pytest.fixture(autouse=True)
def gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("WATTUNE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path.parent / "compiled"))
    monkeypatch.setenv("FAKE_TRACE", str(tmp_path / "trace"))
    fake_gpu.use()
    kernels.scale.device_caches.clear()
    kernels.add_to.device_caches.clear()
    places._said.clear()
    yield
    workers.end_idle()


def launched(tmp_path: Path) -> int:
    """Returns how many launches other processes made."""
    trace = tmp_path / "trace"
    lines = trace.read_text().splitlines() if trace.exists() else []
    return sum(not line.startswith(f"{os.getpid()} ") for line in lines)


def call(kernel: object, n: int = N) -> np.ndarray:
    x, y = fake_gpu.tensor(np.arange(n)), fake_gpu.tensor(np.zeros(n))
    kernel[grid](x, y, 2.0, n)  # type: ignore[index]
    assert np.array_equal(y.values, 4.0 * x.values)
    return y.values


def make(*blocks: int, **options: object) -> wattune.triton.Autotuner:
    return autotune(configs(*blocks), ["n"], **options)(kernels.scale)  # type: ignore[arg-type]


def test_it_is_an_autotuner_and_chooses_the_fastest() -> None:
    kernel = make(64, FAST, 128)
    assert isinstance(kernel, triton.runtime.autotuner.Autotuner)
    call(kernel)
    assert kernel.best_config.kwargs == {"BLOCK": FAST}
    assert list(kernel.cache.values()) == [kernel.best_config]


def test_a_second_process_measures_nothing(tmp_path: Path) -> None:
    call(make(64, FAST))
    measured = launched(tmp_path)
    assert measured > 0
    kernel = make(64, FAST)
    call(kernel)
    assert launched(tmp_path) == measured
    assert kernel.best_config.kwargs == {"BLOCK": FAST}


def test_one_configuration_more_costs_one_measurement(tmp_path: Path) -> None:
    call(make(64, 128, 512))
    journal = next((tmp_path / "cache" / "journals").glob("*.jsonl"))
    assert len(wattune.read(journal)) == 3
    kernel = make(64, 128, 512, FAST)
    call(kernel)
    records = wattune.read(journal)
    assert [each["BLOCK"] for each in records] == [64, 128, 512, FAST]
    assert kernel.best_config.kwargs == {"BLOCK": FAST}


def test_candidates_that_trap_hang_write_elsewhere_or_are_wrong_cost_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAULTS", "512,256,128,64")
    monkeypatch.setattr("wattune._calls.choosing._LEAST_SECONDS", 20.0)
    kernel = make(2048, 512, 256, 128, 64, FAST)
    call(kernel)
    assert kernel.best_config.kwargs == {"BLOCK": FAST}
    records = {each["BLOCK"]: each for each in wattune.read(next((tmp_path / "cache" / "journals").glob("*.jsonl")))}
    assert "illegal memory access" in records[512]["message"]
    assert "did not end within 20 s" in records[256]["message"]
    assert "writes elsewhere" in records[128]["message"]
    assert "output y is not that of the first" in records[64]["message"]
    assert records[2048]["status"] == records[FAST]["status"] == "correct"


def test_too_much_shared_memory_and_errors_of_the_compiler_cost_themselves(tmp_path: Path) -> None:
    kernel = make(FAST, 1000)  # arange needs a power of two
    call(kernel)
    records = {each["BLOCK"]: each for each in wattune.read(next((tmp_path / "cache" / "journals").glob("*.jsonl")))}
    assert "power of 2" in records[1000]["message"]
    assert kernel.best_config.kwargs == {"BLOCK": FAST}


def test_a_space_with_constraints_and_a_budget(tmp_path: Path) -> None:
    parameters = {"BLOCK": [64, 128, 256, 512, FAST, 2048], "num_warps": [1, 2, 4, 8]}
    kernel = autotune(
        parameters=parameters, constraints=["BLOCK >= 32 * num_warps"], key=["n"], evaluations=8, strategy="random"
    )(kernels.scale)
    call(kernel)
    assert len(wattune.read(next((tmp_path / "cache" / "journals").glob("*.jsonl")))) == 8
    assert kernel.best_config.kwargs["BLOCK"] in parameters["BLOCK"]


def test_tuning_off_takes_the_nearest_then_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    call(make(64, FAST))
    measured = launched(tmp_path)
    monkeypatch.setenv("WATTUNE_TUNING", "off")
    with caplog.at_level(logging.WARNING, "wattune"):
        near = make(64, FAST)
        call(near, N + 100)
        call(near, N + 100)
        far = make(64, FAST)
        call(far, 20 * N)
    assert near.best_config.kwargs == {"BLOCK": FAST}
    assert far.best_config.kwargs == {"BLOCK": 64}
    assert launched(tmp_path) == measured
    said = [each.getMessage() for each in caplog.records]
    assert len(said) == 2
    assert "runs a known configuration, that of n=3000" in said[0] and "tuning is off" in said[0]
    assert "runs the default configuration" in said[1]


def test_a_package_ships_its_winners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call(make(64, FAST))
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").touch()
    (tmp_path / "cache" / "calls.wisdom").rename(package / "kernels.wisdom")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("WATTUNE_TUNING", "off")
    kernel = make(64, FAST, wisdom="shop:kernels.wisdom")
    call(kernel)
    assert kernel.best_config.kwargs == {"BLOCK": FAST}


def test_a_capture_does_not_tune_and_later_calls_do(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = make(64, FAST)
    monkeypatch.setenv("FAKE_CAPTURE", "1")
    call(kernel)
    assert kernel.best_config.kwargs == {"BLOCK": 64}
    monkeypatch.delenv("FAKE_CAPTURE")
    call(kernel)
    assert kernel.best_config.kwargs == {"BLOCK": FAST}


def test_memory_that_does_not_suffice_costs_a_line(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("FAKE_MEMORY", "1000")
    kernel = make(64, FAST)
    with caplog.at_level(logging.WARNING, "wattune"):
        call(kernel)
    assert kernel.best_config.kwargs == {"BLOCK": 64}
    (line,) = [each.getMessage() for each in caplog.records]
    assert "not enough memory" in line


def test_heuristics_above_and_below_and_restored_values() -> None:
    even = {"EVEN": lambda arguments: arguments["n"] % arguments["BLOCK"] == 0}
    below = autotune(configs(64, 128), ["n"], restore_value=["y"])(triton.heuristics(even)(kernels.add_to))
    x, y = fake_gpu.tensor(np.ones(1024)), fake_gpu.tensor(np.arange(1024))
    below[grid](x, y, 1024)
    assert np.array_equal(y.values, np.arange(1024) + 1)
    assert below.best_config.kwargs == {"BLOCK": 64}
    above = triton.heuristics({"EVEN": lambda arguments: False})(autotune(configs(64, 128), ["n"])(kernels.add_to))
    y = fake_gpu.tensor(np.arange(1000))
    above[grid](fake_gpu.tensor(np.ones(1000)), y, 1000)
    assert np.array_equal(y.values, np.arange(1000) + 1)


def test_a_read_only_cache_costs_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("WATTUNE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    kernel = make(64, FAST)
    with caplog.at_level(logging.WARNING, "wattune"):
        call(kernel)
    assert kernel.best_config.kwargs == {"BLOCK": FAST}
    assert any("without a journal" in each.getMessage() for each in caplog.records)


PROGRAM = """
import sys
sys.path.insert(0, {tests!r})
import numpy as np, triton, triton.language as tl
import fake_gpu, wattune.triton
fake_gpu.use()
FACTOR = tl.constexpr(2)
@wattune.triton.autotune([triton.Config({{"BLOCK": each}}) for each in (64, 1024)], ["n"])
@triton.jit
def scale(x, y, factor, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, at < n) * FACTOR * factor, at < n)
x, y = fake_gpu.tensor(np.arange(100)), fake_gpu.tensor(np.zeros(100))
scale[lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),)](x, y, 2.0, 100)
assert np.array_equal(y.values, 4 * x.values)
print("chose", scale.best_config.kwargs["BLOCK"])
"""


def test_a_script_without_a_guard_is_not_run_by_the_worker(
    python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    run = python(PROGRAM.format(tests=str(Path(__file__).parent)))
    assert run.returncode == 0, run.stderr
    assert run.stdout == "chose 1024\n"


def test_eight_processes_make_one_choice(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.format(tests=str(Path(__file__).parent)))
    running = [subprocess.Popen([sys.executable, str(file)], stdout=subprocess.PIPE, text=True) for _ in range(8)]
    assert {each.communicate(timeout=300)[0] for each in running} == {"chose 1024\n"}
    journal = next((tmp_path / "cache" / "journals").glob("*.jsonl"))
    assert len(wattune.read(journal)) == 2


CELL = """
@triton.jit
def scale(x, y, factor, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, at < n) * {two} * factor, at < n)
"""


def cell(number: int, two: str) -> object:
    """Runs a cell of a notebook, which is in no file, and returns its kernel."""
    import linecache

    import triton.language as tl

    file, source = f"<ipython-input-{number}>", CELL.format(two=two)
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    scope = {"triton": triton, "tl": tl, "__name__": "__main__"}
    exec(compile(source, file, "exec"), scope)
    return scope["scale"]


def test_a_cell_of_a_notebook_is_sent_by_its_source_and_redefined(tmp_path: Path) -> None:
    first = autotune(configs(64, FAST), ["n"])(cell(1, "2"))
    call(first)
    assert first.best_config.kwargs == {"BLOCK": FAST}
    again = autotune(configs(64, FAST), ["n"])(cell(2, "(1 + 1)"))
    call(again)
    assert len(list((tmp_path / "cache" / "journals").glob("*.jsonl"))) == 2


def test_prepare_tunes_for_shapes_and_writes_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = make(64, FAST)
    shapes = [
        {"x": fake_gpu.tensor(np.zeros(n)), "y": fake_gpu.tensor(np.zeros(n)), "factor": 2.0, "n": n} for n in (N, 64)
    ]
    winners = wattune.triton.prepare(kernel, shapes, grid, wisdom=tmp_path / "mine.wisdom")
    assert [each["BLOCK"] for each in winners] == [FAST, FAST]
    assert wattune.triton.prepare(kernel, shapes, grid, wisdom=tmp_path / "copy.wisdom") == winners
    assert (tmp_path / "copy.wisdom").read_bytes().count(b"\n") == 2
    monkeypatch.setenv("WATTUNE_TUNING", "off")
    monkeypatch.setenv("WATTUNE_CACHE_DIR", str(tmp_path / "other"))
    shipped = make(64, FAST, wisdom=tmp_path / "mine.wisdom")
    call(shipped, 64)
    assert shipped.best_config.kwargs == {"BLOCK": FAST}
    with pytest.raises(wattune.InvalidArgumentError, match="no such argument"):
        wattune.triton.prepare(kernel, [{"z": 1}], grid)
    with pytest.raises(wattune.InvalidArgumentError, match="decorates"):
        wattune.triton.prepare(kernels.scale, [], grid)


def test_bad_input_is_refused_in_one_line() -> None:
    with pytest.raises(wattune.InvalidArgumentError, match="either configs= or parameters="):
        autotune(key=["n"])
    with pytest.raises(wattune.InvalidArgumentError, match="no such argument"):
        make(64, outputs=["z"])
    with pytest.raises(ValueError, match="Conflicting meta-parameters: BLOCK"):
        x = fake_gpu.tensor(np.zeros(8))
        make(64, 128)[(1,)](x, x, 2.0, 8, BLOCK=64)


def test_configurations_of_several_kinds_make_one_list() -> None:
    from wattune.triton.configurations import ConfigList, parameters_of

    given = [
        triton.Config({"BLOCK": 64, "MODE": "fast"}),
        triton.Config({"BLOCK": 128, "MODE": None}, num_warps=8, maxnreg=64),
        triton.Config({"BLOCK": 128, "MODE": 3, "EVEN": True}, pre_hook=print),
        triton.Config({"BLOCK": 64, "MODE": "fast"}),
    ]
    made = ConfigList(given)
    assert made.space.count() == 3
    assert [made.config(each) for each in made.space] == given[:3]
    assert made.config(made.default) is given[0]
    assert made.config({**parameters_of(given[0]), "BLOCK": 1}) is None
    assert ConfigList([triton.Config({})]).space.count() == 1
