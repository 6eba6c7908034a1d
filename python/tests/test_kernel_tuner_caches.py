"""Cache files: of every age, of others, continued, and searched without a device."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import wattune
from wattune.kernel_tuner import caches, tune_cache, tune_kernel
from wattune.kernel_tuner.errors import InvalidConfig, RuntimeFailedConfig

numpy = pytest.importorskip("numpy")

N = 256
HOST = "float add(float* a, int n) { for (int i = 0; i < n; ++i) a[i] = STEP; return STEP * 0.5f; }"
HEADER = caches.Header("a device", "add", [N], {"x": [1, 2], "y": ["a", "b"]}, ["time"])
TIMES = {"compile_time": 10.0, "verification_time": 0, "benchmark_time": 5.0}


def entry(x: int, y: str, **more: Any) -> dict[str, Any]:
    return {"x": x, "y": y, **more}


def recorded(file: Path, **head: Any) -> Path:
    entries = {
        f"{x},{y}": entry(x, y, time=2.0 * x + len(y) + (y == "b"), times=[1.0, 3.0], **TIMES)
        for x in (1, 2)
        for y in ("a", "b")
    }
    found = {**HEADER.as_json(), **head, "cache": entries}
    file.write_text(json.dumps(found))
    return file


def test_a_file_is_complete_after_each_line(tmp_path: Path) -> None:
    cache = caches.CacheFile(tmp_path / "new", HEADER)
    assert cache.file.endswith("new.json")
    cache.add("1,a", entry(1, "a", time=0.5))
    cache.add("1,b", entry(1, "b", __error__=InvalidConfig(), numbers=numpy.arange(2), number=numpy.float32(0.5)))
    assert list(caches.read_cache(cache.file)["cache"]) == ["1,a", "1,b"], "it is read while it grows"
    cache.close()
    found = json.loads(Path(cache.file).read_text())
    assert found["cache"]["1,b"]["__error__"] == "InvalidConfig"
    assert found["cache"]["1,b"]["numbers"] == [0, 1]
    again = caches.CacheFile(tmp_path / "new.json", HEADER)
    assert list(again.known) == ["1,a", "1,b"]
    again.add("2,a", entry(2, "a", time=0.25))
    again.close()
    assert len(json.loads(Path(cache.file).read_text())["cache"]) == 3


@pytest.mark.parametrize("ending", ["", ",", ',\n"2,a": {"x": 2, "y": "a", "ti', "}\n}", "}}"])
def test_files_that_were_not_closed(tmp_path: Path, ending: str) -> None:
    file = tmp_path / "cache.json"
    head = json.dumps(HEADER.as_json(), indent="")[:-3]
    file.write_text(head + '\n"1,a": {"x": 1, "y": "a", "time": 0.5}' + ending)
    assert caches.by_key(caches.read_cache(file)) == {"1,a": {"x": 1, "y": "a", "time": 0.5}}


def test_failures_of_older_files(tmp_path: Path) -> None:
    file = recorded(tmp_path / "cache.json")
    found = json.loads(file.read_text())
    found["cache"] = {
        "a": entry(1, "a", time="InvalidConfig"),
        "b": entry(1, "b", time=1e20),
        "c": entry(2, "a", __error__="RuntimeFailedConfig"),
        "d": entry(2, "b", time=0.5, strategy_time=0.0, framework_time=0.1),
    }
    file.write_text(json.dumps(found))
    entries = caches.by_key(caches.read_cache(file))
    assert isinstance(entries["1,a"]["__error__"], InvalidConfig)
    assert isinstance(entries["1,b"]["__error__"], RuntimeFailedConfig)
    assert isinstance(entries["2,a"]["__error__"], RuntimeFailedConfig)
    assert all("time" not in entries[key] for key in ("1,a", "1,b", "2,a"))
    assert "__error__" not in entries["2,b"]


@pytest.mark.parametrize(
    "text", ["", "no JSON", "[]", '{"cache": {}}', '{"tune_params_keys": ["x"], "cache": {"1": {}}}']
)
def test_files_that_are_no_caches(tmp_path: Path, text: str) -> None:
    file = tmp_path / "cache.json"
    file.write_text(text)
    with pytest.raises(wattune.ParseError) as raised:
        caches.read_cache(file)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"device_name": "another"}, "device"),
        ({"kernel_name": "other"}, "kernel"),
        ({"problem_size": [N, 2]}, "problem size"),
        ({"tune_params_keys": ["y", "x"]}, "order"),
        ({"tune_params_keys": ["x"]}, "tunable parameters"),
    ],
)
def test_caches_of_something_else_are_refused(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    file = recorded(tmp_path / "cache.json", **change)
    with pytest.raises(ValueError, match=words) as raised:
        caches.CacheFile(file, HEADER)
    assert isinstance(raised.value, wattune.MismatchError)


def on_host(**options: Any) -> Any:
    arguments = [numpy.zeros(N, numpy.float32), numpy.int32(N)]
    given = {"lang": "C", "quiet": True, "tune_params": {"block_size_x": [1], "STEP": [1, 2]}, **options}
    return tune_kernel("add", HOST, N, arguments, **given)


def test_a_run_goes_on_with_its_cache(tmp_path: Path) -> None:
    file = str(tmp_path / "cache")
    first, _ = on_host(cache=file)
    assert [each["time"] for each in first] == [0.5, 1.0]
    text = Path(file + ".json").read_text()
    Path(file + ".json").write_text(text.replace('"time": 0.5', '"time": 0.125'))
    wider = {"block_size_x": [1], "STEP": [1, 2, 4]}
    results, env = on_host(cache=file, tune_params=wider, metrics={"twice": "2 * time"})
    assert [each["time"] for each in results] == [0.125, 1.0, 2.0], "what is known is not measured again"
    assert [each["twice"] for each in results] == [0.25, 2.0, 4.0]
    assert results[0]["compile_time"] == 0
    assert results[2]["compile_time"] > 0
    assert env["best_config"]["STEP"] == 1
    assert set(caches.by_key(caches.read_cache(file + ".json"))) == {"1,1", "1,2", "1,4"}


def simulated(file: Path, **options: Any) -> Any:
    given = {"kernel_source": "", "problem_size": [N], "arguments": [], "tune_params": HEADER.tune_params,
             "simulation_mode": True, "cache": str(file), "quiet": True, **options}  # fmt: skip
    return tune_kernel("add", **given)


def test_simulation(tmp_path: Path) -> None:
    file = recorded(tmp_path / "cache.json")
    results, env = simulated(file, lang="HIP", metrics={"rate": "1 / time"})
    assert [(each["x"], each["y"]) for each in results] == [(1, "a"), (1, "b"), (2, "a"), (2, "b")]
    assert results[0]["rate"] == pytest.approx(1 / 3)
    assert env["best_config"]["x"] == 1
    assert env["device_name"] == "a device"
    assert env["simulated_time"] == 4 * 15.0
    restricted, _ = simulated(file, restrictions=["x > 1"])
    assert [each["x"] for each in restricted] == [2, 2]


def test_simulation_with_strategies(tmp_path: Path) -> None:
    file = recorded(tmp_path / "cache.json")
    for strategy in ("random_sample", "genetic_algorithm", "bayes_opt"):
        results, _ = simulated(file, strategy=strategy, strategy_options={"max_fevals": 3})
        assert len(results) == 3
    worst, env = simulated(
        file,
        strategy="greedy_ils",
        strategy_options={"max_fevals": 4},
        objective="time",
        objective_higher_is_better=True,
    )
    assert env["best_config"]["time"] == max(each["time"] for each in worst)


def test_simulation_needs_what_it_asks_for(tmp_path: Path) -> None:
    file = recorded(tmp_path / "cache.json")
    with pytest.raises(ValueError, match="lacks a configuration"):
        simulated(file, tune_params={"x": [1, 2, 3], "y": ["a", "b"]})
    with pytest.raises(ValueError, match="exists"):
        simulated(tmp_path / "none.json")
    with pytest.raises(ValueError, match="exclude"):
        simulated(file, parallel=True)


def test_tune_cache(tmp_path: Path) -> None:
    file = recorded(tmp_path / "cache.json")
    results, _ = tune_cache(str(file), quiet=True)
    assert len(results) == 4
    results, _ = tune_cache(str(file), restrictions=["x == 2"], quiet=True)
    assert [each["x"] for each in results] == [2, 2]
    with pytest.raises(ValueError, match="list"):
        tune_cache(str(file), restrictions="x == 2")
    with pytest.raises(ValueError, match="function"):
        tune_cache(str(recorded(tmp_path / "other.json", problem_size="callable")))
