"""Where winners of kernels that Python calls are kept, and which one a call gets. Needs neither Triton nor a GPU."""

from __future__ import annotations

import logging
from math import log
from pathlib import Path

import pytest
from wattune._calls import places, ranks
from wattune._calls import winners as module
from wattune._calls.arrays import Device
from wattune._calls.shipping import CannotShipError, ship, unship
from wattune._calls.winners import LIST, Kernel, Winners, distance

KERNEL = Kernel("scale", "a" * 16, "b" * 16)
H200 = Device("NVIDIA H200", "sm_90", "GPU-1")
TIMES = (1e-5, 0.9e-5, 1.1e-5)
FACTOR = 3


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATTUNE_CACHE_DIR", str(tmp_path))
    places._said.clear()
    module.chosen.clear()
    module.agreed.clear()


def key(n: int, types: str = "x float32", configurations: str = "c1") -> dict[str, object]:
    return {"n": n, "types": types, LIST: configurations}


def put(n: int, block: int, kernel: Kernel = KERNEL, device: Device = H200, **parts: str) -> None:
    Winners(None, 1.0).put(kernel, device, key(n, **parts), {"BLOCK": block}, TIMES, 5, tuned=True)


def test_the_key_itself_is_found_in_another_process() -> None:
    put(1000, 64)
    found = Winners(None, 1.0).find(KERNEL, H200, key(1000))
    assert found is not None and found.exact and found.configuration == {"BLOCK": 64}
    assert found.seconds == pytest.approx(1e-5)
    assert Winners(None, 1.0).find(KERNEL, H200, key(1001)) is None
    assert Winners(None, 1.0).find(Kernel("scale", "c" * 16, "b" * 16), H200, key(1000)) is None


def test_the_nearest_key_counts_within_the_bound() -> None:
    put(1000, 64)
    put(4000, 128)
    near = Winners(None, log(2)).nearest(KERNEL, H200, key(1500))
    assert near is not None and near.configuration == {"BLOCK": 64} and not near.exact
    assert near.why.startswith("that of n=1000") and "distance 0.41" in near.why
    assert Winners(None, log(2)).nearest(KERNEL, H200, key(20_000)) is None
    assert Winners(None, log(2)).nearest(KERNEL, H200, key(1000, "x float16")) is None


def test_another_compiler_list_or_gpu_is_a_guess() -> None:
    put(1000, 64, Kernel("scale", KERNEL.source, "d" * 16))
    put(1100, 128, device=Device("NVIDIA H100", "sm_90", "GPU-2"))
    put(1200, 256, configurations="c2")
    put(1300, 512, Kernel("scale", "e" * 16, KERNEL.compiler))
    winners = Winners(None, log(2))
    assert winners.find(KERNEL, H200, key(1000)) is None
    found = winners.nearest(KERNEL, H200, key(1000))
    assert found is not None and found.configuration == {"BLOCK": 64}
    assert found.why == "that of another compiler"


def test_the_user_comes_before_the_package(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    package = tmp_path / "package.wisdom"
    Winners(None, 1.0).put(KERNEL, H200, key(1000), {"BLOCK": 32}, TIMES, 5, tuned=True, file=package)
    (tmp_path / "calls.wisdom").unlink(missing_ok=True)
    found = Winners(package, 1.0).find(KERNEL, H200, key(1000))
    assert found is not None and found.configuration == {"BLOCK": 32}
    put(1000, 64)
    found = Winners(package, 1.0).find(KERNEL, H200, key(1000))
    assert found is not None and found.configuration == {"BLOCK": 64}
    assert package.read_bytes().count(b"\n") == 1
    with caplog.at_level(logging.WARNING, "wattune"):
        assert Winners("no_such_package:x.wisdom", 1.0).find(KERNEL, H200, key(1)) is None
    assert "no_such_package" in caplog.text


def test_a_damaged_file_costs_a_line_and_no_winner(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    put(1000, 64)
    put(2000, 128)
    file = tmp_path / "calls.wisdom"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(lines[0].replace(b"64", b"65") + lines[1])
    with caplog.at_level(logging.WARNING, "wattune"):
        winners = Winners(None, 0.0)
        assert winners.find(KERNEL, H200, key(1000)) is None
        assert winners.find(KERNEL, H200, key(2000)) is not None
    assert len(caplog.records) == 1


def test_ranks_agree_on_the_winner_of_the_lowest_rank() -> None:
    first = module.place_of(KERNEL, H200, key(1))
    second = module.place_of(KERNEL, H200, key(2))
    third = module.place_of(KERNEL, H200, key(3))
    agreed = ranks.agreed_of(
        [
            {first: (True, {"BLOCK": 1}), second: (False, {"BLOCK": 2})},
            {first: (True, {"BLOCK": 10}), second: (True, {"BLOCK": 20})},
            {third: (False, {"BLOCK": 30})},
        ]
    )
    assert agreed == {first: {"BLOCK": 1}, second: {"BLOCK": 20}, third: {"BLOCK": 30}}
    put(1, 64)
    module.agreed.update(agreed)
    found = Winners(None, 1.0).find(KERNEL, H200, key(1))
    assert found is not None and found.configuration == {"BLOCK": 1}


def test_distance_is_that_of_sizes() -> None:
    assert distance(key(1000), key(1000, configurations="c2")) == 0
    assert distance({"n": 2, "m": 8}, {"n": 4, "m": 4}) == pytest.approx(2 * log(2))
    assert distance({"n": 2}, {"m": 2}) is None
    assert distance({"n": 0}, {"n": 2}) is None
    assert distance({"n": True}, {"n": 2}) is None


def tripled(x: int) -> int:
    return x * FACTOR if x < 100 else tripled(x - 100)


def test_functions_travel_with_what_they_read() -> None:
    offset = 5
    function = unship(ship(lambda x, more=(1, 2): tripled(x) + offset + sum(more)))
    assert function(2) == 14
    assert function.__globals__["tripled"].__globals__ is not tripled.__globals__
    assert unship(ship({"a": [1, (2, {3})], "b": logging, "c": len})) == {"a": [1, (2, {3})], "b": logging, "c": len}
    with pytest.raises(CannotShipError, match="cannot be pickled"):
        ship(each for each in ())


def test_settings(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv("WATTUNE_TUNING", "off")
    assert not places.tuning_is_on()
    monkeypatch.setenv("WATTUNE_TUNING", "maybe")
    with caplog.at_level(logging.WARNING, "wattune"):
        assert places.tuning_is_on()
    assert "neither on nor off" in caplog.text
    monkeypatch.delenv("WATTUNE_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/there")
    assert places.cache_folder() == Path("/there/wattune")
