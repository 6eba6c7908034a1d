"""Functions of the caller's in the place of texts: what they get, and what happens if they raise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import wattune
from wattune._functions import describe

numpy = pytest.importorskip("numpy")

N = 256


class Mine(Exception):
    """An exception that Wattune does not know."""


@pytest.fixture
def arguments() -> list[Any]:
    a = numpy.arange(N, dtype=numpy.float32)
    return [a, a, numpy.zeros(N, numpy.float32), numpy.int32(N)]


def tuned(source: str, arguments: list[Any], **options: Any) -> wattune.Results:
    return wattune.tune(source, "add", arguments, {"STEP": [1, 2, 4, 8]}, device="host:0", max_samples=7, **options)


def raising(*_: object) -> Any:
    raise Mine("of the caller")


def test_constraints(host_add: str, arguments: list[Any]) -> None:
    results = tuned(host_add, arguments, constraints=[lambda STEP: STEP > 1, "STEP < 8"])
    assert sorted(each["STEP"] for each in results) == [2, 4]


def test_metrics(host_add: str, arguments: list[Any]) -> None:
    results = tuned(
        host_add,
        arguments,
        metrics={"rate": lambda record: N / record["time"], "twice": "2 * time", "ten": lambda _: 10},
    )
    for each in results:
        assert each["twice"] == pytest.approx(2 * each["time"])
        assert each["ten"] == 10.0
        assert each["rate"] > 0


def test_objectives(host_add: str, arguments: list[Any]) -> None:
    least = tuned(host_add, arguments, minimize=lambda record: -record["STEP"])
    assert least.best is not None
    assert least.best["STEP"] == 8
    greatest = tuned(host_add, arguments, metrics={"score": lambda record: record["STEP"]}, maximize="score")
    assert greatest.best is not None
    assert greatest.best["STEP"] == 8
    assert greatest.info["objectives"] == [("maximize", "score")]


def test_checks(host_add: str, arguments: list[Any]) -> None:
    seen: list[int] = []

    def check(outputs: dict[str, Any], configuration: dict[str, Any]) -> bool:
        seen.append(configuration["STEP"])
        assert outputs["c"].shape == (N,)
        return bool(numpy.array_equal(outputs["c"], 2 * arguments[0])) and configuration["STEP"] != 4

    results = tuned(host_add, arguments, check=check)
    assert {1, 2, 4, 8} <= set(seen)
    statuses = {each["STEP"]: each["status"] for each in results}
    assert statuses == {1: "correct", 2: "correct", 4: "correctness", 8: "correct"}


def test_a_check_alone_decides_where_there_is_no_answer() -> None:
    source = 'extern "C" void fill(float* y, int n) { for (int i = 0; i < n; ++i) y[i] = STEP; }'
    results = wattune.tune(
        source, "fill", [numpy.zeros(16, numpy.float32), numpy.int32(16)], {"STEP": [1, 2]}, device="host",
        check=lambda outputs, configuration: bool((outputs["y"] == configuration["STEP"]).all()),
    )  # fmt: skip
    assert [each["status"] for each in results] == ["correct", "correct"]


def test_observers_see_each_result(host_add: str, arguments: list[Any]) -> None:
    seen: list[dict[str, Any]] = []
    tuned(host_add, arguments, observers=[seen.append])
    assert [each["status"] for each in seen] == ["correct"] * 4


def test_observers_may_measure(host_add: str, arguments: list[Any]) -> None:
    class Meter:
        def __init__(self) -> None:
            self.begun: list[int] = []

        def metrics(self) -> list[str]:
            return ["runs"]

        def begin(self, configuration: dict[str, Any]) -> None:
            self.begun.append(configuration["STEP"])

        def end(self, times: list[float]) -> dict[str, float]:
            return {"runs": len(times)}

    meter = Meter()
    results = tuned(host_add, arguments, observers=[meter], maximize="runs")
    assert set(meter.begun) == {1, 2, 4, 8}
    assert all(each["runs"] > 0 for each in results)


def test_a_stop_function_ends_the_search(host_add: str, arguments: list[Any]) -> None:
    results = tuned(host_add, arguments, stop=lambda record: record["STEP"] == 2, strategy="exhaustive")
    assert results.cancelled
    assert 0 < len(results) < 4


@pytest.mark.parametrize("seam", ["observers", "metrics", "minimize", "stop", "check", "constraints", "meter"])
def test_what_they_raise_ends_the_run_after_its_result(
    seam: str, host_add: str, arguments: list[Any], tmp_path: Path
) -> None:
    journal = tmp_path / "add.jsonl"
    meter = type("Meter", (), {"metrics": lambda _: ["m"], "begin": raising, "end": raising})()
    options: dict[str, Any] = {
        "observers": {"observers": [raising]},
        "metrics": {"metrics": {"m": raising}},
        "minimize": {"minimize": raising},
        "stop": {"stop": raising},
        "check": {"check": raising},
        "constraints": {"constraints": [lambda STEP: raising()]},
        "meter": {"observers": [meter]},
    }[seam]
    with pytest.raises(Mine, match="of the caller") as caught:
        tuned(host_add, arguments, journal=journal, **options)
    assert caught.traceback[-1].name == "raising"
    if seam in ("observers", "metrics", "minimize", "stop", "meter"):
        assert len(wattune.read(journal)) == 1


def test_geometry_by_functions_that_raise(opencl_add: str, arguments: list[Any]) -> None:
    with pytest.raises(Mine):
        wattune.tune(opencl_add, "add", arguments, {"BLOCK": [16], "PER": [1]}, block=16, grid=lambda BLOCK: raising(),
                     device="opencl")  # fmt: skip


class Meter:
    """An observer whose methods return what they are told."""

    def __init__(self, metrics: object, figures: object) -> None:
        self.named = metrics
        self.figures = figures

    def metrics(self) -> object:
        return self.named

    def begin(self, configuration: dict[str, Any]) -> None:
        pass

    def end(self, times: list[float]) -> object:
        return self.figures


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"check": lambda outputs, configuration: None}, "the check returned None"),
        ({"stop": lambda record: None}, "the stop function returned None"),
        ({"metrics": {"m": lambda record: None}}, "the metric m returned"),
        ({"metrics": {"m": lambda record: "fast"}}, "the metric m returned"),
        ({"minimize": lambda record: None}, "returned something else: `None`"),
        ({"constraints": [lambda STEP: None]}, "a constraint returned None"),
        ({"observers": [Meter(["m"], None)]}, r"end\(\) of an observer returned"),
        ({"observers": [Meter(["m"], {"m": None})]}, r"end\(\) of an observer returned"),
        ({"observers": [Meter(None, {})]}, r"metrics\(\) of an observer returned"),
        ({"block": lambda STEP: None}, "block_x must be a number"),
        ({"source": lambda STEP: None}, "the source returned"),
    ],
)
def test_functions_that_return_something_else(
    options: dict[str, Any], words: str, host_add: str, arguments: list[Any]
) -> None:
    given = dict(options)
    source = given.pop("source", host_add)
    with pytest.raises(wattune.InvalidArgumentError, match=words) as caught:
        tuned(source, arguments, **given)
    assert "\n" not in str(caught.value)


def test_a_source_that_is_missing_for_a_configuration(host_add: str, arguments: list[Any], tmp_path: Path) -> None:
    journal = tmp_path / "add.jsonl"
    source: Any = lambda STEP: host_add if STEP < 8 else None  # noqa: E731
    with pytest.raises(wattune.InvalidArgumentError, match="the source returned something else: `None`"):
        tuned(source, arguments, journal=journal, strategy="exhaustive")
    assert all(each["status"] == "correct" for each in wattune.read(journal) if each["STEP"] < 8)


def test_a_function_may_tune_itself(host_add: str, arguments: list[Any]) -> None:
    inner: list[int] = []

    def observer(record: dict[str, Any]) -> None:
        if not inner:
            inner.append(len(tuned(host_add, arguments)))

    assert len(tuned(host_add, arguments, observers=[observer])) == 4
    assert inner == [4]


def test_a_journal_tells_functions_apart(host_add: str, arguments: list[Any], tmp_path: Path) -> None:
    journal = tmp_path / "add.jsonl"
    tuned(host_add, arguments, journal=journal, metrics={"m": lambda record: record["STEP"]})
    with pytest.raises(wattune.MismatchError, match="metric m"):
        tuned(host_add, arguments, journal=journal, metrics={"m": lambda record: record["STEP"] + 1})


def test_descriptions_are_stable() -> None:
    def with_closure(value: object) -> Any:
        return lambda x: x == value

    assert describe(with_closure([1, {"a": 2}])) == describe(with_closure([1, {"a": 2}]))
    assert describe(with_closure([1, {"a": 2}])) != describe(with_closure([1, {"a": 3}]))
    assert describe(with_closure(object())) == describe(with_closure(object()))
    array = numpy.arange(4)
    assert describe(with_closure(array)) != describe(with_closure(array + 1))
    assert describe(print).startswith("print ")
