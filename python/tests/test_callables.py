"""wattune.autotune without a GPU: functions that launch, on the arrays and the worker of fake_gpu.py."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("triton", reason="the driver of fake_gpu.py stands in for that of Triton")

import fake_gpu  # noqa: E402
import wattune  # noqa: E402
from wattune._calls import places, workers  # noqa: E402

TIMES = {64: 3e-5, 128: 1e-5, 256: 2e-5}


@pytest.fixture(autouse=True)
def gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("WATTUNE_CACHE_DIR", str(tmp_path / "cache"))
    places._said.clear()
    yield
    workers.end_idle()


def double(configuration: dict[str, Any], x: fake_gpu.Tensor, y: fake_gpu.Tensor, n: int) -> str:
    """Doubles, in a time that follows from BLOCK; that of 256 is wrong."""
    fake_gpu.take(TIMES[configuration["BLOCK"]])
    y.values[:n] = 2 * x.values[:n]
    if configuration["BLOCK"] == 256:
        y.values[0] = -1
    return f"launched {configuration['BLOCK']}"


def run(kernel: Any, n: int = 100) -> Any:
    x, y = fake_gpu.tensor(np.arange(n)), fake_gpu.tensor(np.zeros(n))
    result = kernel(x, y, n)
    assert np.array_equal(y.values, 2 * x.values)
    return result


def test_a_function_is_tuned_checked_and_remembered(tmp_path: Path) -> None:
    decorate = wattune.autotune({"BLOCK": [64, 256, 128]}, key=["n"], outputs=["y"])
    kernel = decorate(double)
    assert run(kernel) == "launched 128"
    assert kernel.best_configuration == {"BLOCK": 128}
    records = list(wattune.read(next((tmp_path / "cache" / "journals").glob("*.jsonl"))))
    assert [each["BLOCK"] for each in records if each["status"] == "correct"] == [64, 128]
    workers.end_idle()
    assert run(decorate(double)) == "launched 128"
    assert not workers._workers


def test_a_check_function_judges(tmp_path: Path) -> None:
    def check(outputs: dict[str, Any], configuration: dict[str, Any]) -> bool:
        return configuration["BLOCK"] != 128 and set(outputs) == {"y"}

    kernel = wattune.autotune({"BLOCK": [64, 128]}, key=["n"], outputs=["y"], check=check)(double)
    assert run(kernel) == "launched 64"
    records = list(wattune.read(next((tmp_path / "cache" / "journals").glob("*.jsonl"))))
    assert "check function" in records[1]["message"]


def test_what_cannot_be_shipped_costs_a_line(caplog: pytest.LogCaptureFixture) -> None:
    lock = __import__("threading").Lock()

    def locked(configuration: dict[str, Any], x: Any, y: Any, n: int) -> str:
        with lock:
            return double({"BLOCK": 64}, x, y, n)

    with caplog.at_level(logging.WARNING, "wattune"):
        assert run(wattune.autotune({"BLOCK": [64, 128]}, key=["n"])(locked)) == "launched 64"
    (line,) = [each.getMessage() for each in caplog.records]
    assert "a worker cannot have the kernel" in line and "lock" in line


def test_bad_input() -> None:
    with pytest.raises(wattune.InvalidArgumentError, match="no such argument"):
        wattune.autotune({"BLOCK": [64]}, key=["m"])(double)
    with pytest.raises(wattune.InvalidArgumentError, match="cold or warm"):
        wattune.autotune({"BLOCK": [64]}, cache="hot")
    with pytest.raises(wattune.InvalidArgumentError, match="at least 1"):
        wattune.autotune({"BLOCK": [64]}, nearest=0.5)
    with pytest.raises(wattune.InvalidArgumentError, match="no array"):
        wattune.autotune({"BLOCK": [64, 128]}, key=["n"])(double)(1, 2, 3)
