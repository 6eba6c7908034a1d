"""Spaces: what they hold, and what they refuse."""

from __future__ import annotations

import gc
import weakref

import pytest
import wattune

PARAMETERS = {"block": [32, 64, 128], "tile": [1, 2, 4], "mode": ["fast", "exact"]}


def test_counts_what_constraints_leave() -> None:
    space = wattune.Space(PARAMETERS, ["block * tile <= 128"])
    assert space.count() == len(space) == 12
    assert space.cartesian_count() == 18.0
    assert space.exact()
    assert space.parameters() == {"block": [32, 64, 128], "tile": [1, 2, 4], "mode": ["fast", "exact"]}


def test_configurations_are_plain_dicts_with_ids() -> None:
    space = wattune.Space(PARAMETERS, ["block * tile <= 128"])
    every = list(space)
    assert len(every) == 12
    assert all(type(each) is dict for each in every)
    assert all(each["block"] * each["tile"] <= 128 for each in every)
    assert [space.find(each) for each in every] == list(range(12))
    assert space.configuration(3) == every[3]
    assert every[0] in space
    assert {"block": 128, "tile": 4, "mode": "fast"} not in space


def test_a_function_is_a_constraint_like_a_text() -> None:
    by_text = wattune.Space(PARAMETERS, ["block * tile <= 128"])
    by_names = wattune.Space(PARAMETERS, [lambda block, tile: block * tile <= 128])
    by_dict = wattune.Space(PARAMETERS, lambda configuration: configuration["block"] * configuration["tile"] <= 128)
    assert list(by_text) == list(by_names) == list(by_dict)
    assert by_names.violations({"block": 128, "tile": 4, "mode": "fast"}) != []


def test_a_function_is_told_apart_by_its_code_and_closure() -> None:
    def bound(limit: int) -> wattune.Space:
        return wattune.Space({"x": range(10)}, [lambda x: x < limit])

    assert bound(5).content_hash() == bound(5).content_hash()
    assert bound(5).content_hash() != bound(6).content_hash()


def test_what_a_function_raises_arrives_with_its_traceback() -> None:
    def broken(block: int) -> bool:
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine") as caught:
        wattune.Space(PARAMETERS, [broken])
    assert caught.traceback[-1].name == "broken"


def test_a_function_that_returns_none_is_an_error() -> None:
    with pytest.raises(wattune.InvalidArgumentError, match="returned None"):
        wattune.Space(PARAMETERS, [lambda block: None])


def test_values_keep_their_types() -> None:
    space = wattune.Space({"a": [1], "b": [1.5], "c": [True], "d": ["text"]})
    configuration = space.configuration(0)
    assert configuration == {"a": 1, "b": 1.5, "c": True, "d": "text"}
    assert [type(each) for each in configuration.values()] == [int, float, bool, str]


def test_values_of_numpy_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    space = wattune.Space({"a": numpy.arange(3), "b": [numpy.float32(0.5)], "c": [numpy.bool_(True)]})
    assert space.configuration(2) == {"a": 2, "b": 0.5, "c": True}


def test_samples_are_repeated_by_their_seed() -> None:
    space = wattune.Space({"x": range(1000), "y": range(1000)})
    assert space.sample(5, seed=3) == space.sample(5, seed=3)
    assert space.sample(5, seed=3) != space.sample(5, seed=4)
    assert len({each["x"] for each in space.sample_stratified(10)}) == 10


def test_neighbours_differ_in_one_parameter() -> None:
    space = wattune.Space(PARAMETERS)
    start = {"block": 64, "tile": 2, "mode": "fast"}
    for each in space.neighbours(start):
        assert sum(each[name] != start[name] for name in start) == 1
    assert len(space.neighbours(start)) == 5
    with pytest.raises(wattune.InvalidArgumentError, match="hamming, adjacent"):
        space.neighbours(start, "nearest")


def test_ids_beyond_64_bits() -> None:
    space = wattune.Space({f"p{i}": [0, 1] for i in range(100)})
    assert space.count() == 2**100
    assert space.find(space.configuration(2**99 + 7)) == 2**99 + 7
    with pytest.raises(wattune.OutOfRangeError):
        len(space)
    with pytest.raises(wattune.OutOfRangeError):
        space.configuration(2**100)
    with pytest.raises(wattune.OutOfRangeError):
        space.configuration(-1)


def test_the_default_is_where_a_search_begins() -> None:
    assert wattune.Space(PARAMETERS, default={"tile": 4}).default_configuration()["tile"] == 4


@pytest.mark.parametrize(
    ("parameters", "constraints", "words"),
    [
        ({"x": []}, [], "x"),
        ({"x": [1, 1]}, [], "1"),
        ({"x": "abc"}, [], "list of values"),
        ({"x": 5}, [], "list of values"),
        ({"x": [None]}, [], "None"),
        ({"x": [2**70]}, [], "64 bits"),
        ({1: [1]}, [], "must be a text"),
        ({"x": [1, 2]}, ["x > 5"], "x > 5"),
        ({"x": [1, 2]}, [5], "a text or a function"),
        ({"x": [1, 2]}, [lambda y, z: True], "no parameter"),
    ],
)
def test_bad_spaces_are_refused_in_one_line(parameters: object, constraints: object, words: str) -> None:
    with pytest.raises(wattune.InvalidArgumentError) as caught:
        wattune.Space(parameters, constraints)  # type: ignore[arg-type]
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_names_get_the_nearest_one() -> None:
    with pytest.raises(wattune.NotFoundError) as caught:
        wattune.Space({"block": [1, 2]}, ["blok > 1"])
    assert "block" in caught.value.hint
    assert caught.value.code == "not_found"
    with pytest.raises(wattune.NotFoundError):
        wattune.Space({"block": [1, 2]}, default={"blok": 1})


def test_a_cycle_through_a_constraint_is_collected() -> None:
    class Holder:
        space: wattune.Space

    def held() -> weakref.ref[Holder]:
        holder = Holder()
        holder.space = wattune.Space({"x": [1, 2]}, [lambda x: holder is not None])
        return weakref.ref(holder)

    gone = held()
    gc.collect()
    assert gone() is None
