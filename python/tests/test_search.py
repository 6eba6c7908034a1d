"""Searches that their caller drives."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import wattune


def time_of(configuration: dict[str, Any]) -> float:
    return 1e-6 * (1000 + (configuration["x"] - 70) ** 2)


def driven(search: wattune.Search) -> wattune.Search:
    for configuration in search:
        search.tell(configuration, time_of(configuration))
    return search


def test_finds_the_best_of_a_small_space() -> None:
    search = driven(wattune.Search({"x": range(100)}, ["x % 2 == 0"]))
    assert len(search) == 50
    assert search.best is not None
    assert search.best["x"] == 70
    assert search.best["time"] == pytest.approx(1e-3)


def test_stops_after_so_many_evaluations() -> None:
    search = driven(wattune.Search({"x": range(1000)}, evaluations=20, strategy="random"))
    results = search.results()
    assert len(search) == len(results) == 20
    assert results.stop_reason == "20 evaluations done"


def test_takes_samples_and_failures() -> None:
    search = wattune.Search({"x": range(3)})
    results: list[object] = [[3e-3, 1e-3, 2e-3], wattune.Failed("no memory"), 5e-3]
    for result in results:
        configuration = search.ask()
        assert configuration is not None
        search.tell(configuration, result)  # type: ignore[arg-type]
    assert search.ask() is None
    told = search.results()
    assert told[0]["time"] == pytest.approx(2e-3)
    assert told[0]["samples"] == pytest.approx([3e-3, 1e-3, 2e-3])
    assert (told[1]["status"], told[1]["message"], told[1]["time"]) == ("runtime", "no memory", None)
    assert told.best == told[0]


def test_a_journal_is_continued(tmp_path: Path) -> None:
    journal = tmp_path / "x.jsonl"
    first = driven(wattune.Search({"x": range(100)}, evaluations=30, journal=journal, strategy="random"))
    second = wattune.Search({"x": range(100)}, journal=journal, strategy="random")
    assert len(second) == 30
    told = {each["x"] for each in first.results()}
    asked = []
    for configuration in second:
        asked.append(configuration["x"])
        second.tell(configuration, time_of(configuration))
    assert told.isdisjoint(asked)
    assert sorted([*told, *asked]) == list(range(100))
    assert len(wattune.read(journal)) == 100


def test_each_result_is_in_the_journal_before_the_next_question(tmp_path: Path) -> None:
    journal = tmp_path / "x.jsonl"
    search = wattune.Search({"x": range(5)}, journal=journal)
    for told, configuration in enumerate(search, 1):
        search.tell(configuration, 1e-3)
        lines = journal.read_text().splitlines()
        assert len(lines) == 1 + told
        assert json.loads(lines[-1])["status"] == "correct"


def test_a_journal_of_another_search_is_refused(tmp_path: Path) -> None:
    journal = tmp_path / "x.jsonl"
    driven(wattune.Search({"x": range(100)}, evaluations=3, journal=journal))
    before = journal.read_bytes()
    with pytest.raises(wattune.MismatchError):
        wattune.Search({"y": range(100)}, journal=journal)
    assert journal.read_bytes() == before


def test_a_journal_is_written_by_one_search_at_a_time(tmp_path: Path) -> None:
    kept = wattune.Search({"x": range(5)}, journal=tmp_path / "x.jsonl")
    with pytest.raises(wattune.BusyError):
        wattune.Search({"x": range(5)}, journal=tmp_path / "x.jsonl")
    assert kept.ask() is not None


@pytest.mark.parametrize("told", [math.nan, math.inf, -1.0, 0.0, "1 ms", None, [], [1.0, math.nan], 1e300])
def test_impossible_times_are_refused_and_the_question_stays(told: Any) -> None:
    search = wattune.Search({"x": range(5)})
    configuration = search.ask()
    assert configuration is not None
    with pytest.raises(wattune.InvalidArgumentError):
        search.tell(configuration, told)
    search.tell(configuration, 1e-3)
    assert len(search) == 1


def test_questions_and_results_alternate() -> None:
    search = wattune.Search({"x": range(5)})
    with pytest.raises(wattune.InvalidArgumentError, match="without ask"):
        search.tell({"x": 1}, 1e-3)
    configuration = search.ask()
    assert configuration is not None
    with pytest.raises(wattune.InvalidArgumentError, match="not told"):
        search.ask()
    with pytest.raises(wattune.InvalidArgumentError, match="not the configuration"):
        search.tell({"x": configuration["x"] + 1}, 1e-3)
    search.tell(dict(configuration), 1e-3)
    with pytest.raises(wattune.InvalidArgumentError, match="without ask"):
        search.tell(configuration, 1e-3)


def test_a_space_serves_several_searches() -> None:
    space = wattune.Space({"x": range(10)})
    for seed in (1, 2):
        assert len(driven(wattune.Search(space, seed=seed))) == 10


def test_unknown_strategies_get_the_nearest_name() -> None:
    with pytest.raises(wattune.NotFoundError) as caught:
        wattune.Search({"x": range(5)}, strategy="randm")
    assert "random" in str(caught.value)
    assert "random" in [each["name"] for each in wattune.strategies()]


@pytest.mark.parametrize("limits", [{"evaluations": 0}, {"fraction": 2.0}, {"seconds": -1.0}])
def test_impossible_limits_are_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(wattune.InvalidArgumentError):
        wattune.Search({"x": range(5)}, **limits)


def test_a_target_in_seconds_ends_the_search() -> None:
    search = driven(wattune.Search({"x": range(60, 100)}, target=1.001e-3, strategy="exhaustive"))
    assert search.best is not None
    assert search.best["time"] <= 1.001e-3
    assert len(search) < 40
