"""Tuning on the host's processors and on OpenCL, with arrays of the caller's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import wattune

numpy = pytest.importorskip("numpy")

N = 4096


@pytest.fixture
def arrays() -> tuple[Any, Any, Any, Any]:
    generator = numpy.random.default_rng(1)
    a = generator.random(N, dtype=numpy.float32)
    b = generator.random(N, dtype=numpy.float32)
    return a, b, numpy.zeros(N, numpy.float32), numpy.int32(N)


def on_host(source: str, arrays: Any, **options: Any) -> wattune.Results:
    given = {"parameters": {"STEP": [1, 2, 4]}, "device": "host:0", "max_samples": 7, **options}
    return wattune.tune(source, "add", arrays, **given)


def test_tunes_a_function_of_the_host(host_add: str, arrays: Any) -> None:
    a, b, c, _ = arrays
    results = on_host(host_add, arrays, outputs=["c"], answer={"c": a + b})
    assert len(results) == 3
    assert {each["STEP"] for each in results} == {1, 2, 4}
    assert all(each["status"] == "correct" and each["verified"] for each in results)
    assert results.best is not None
    assert results.best["time"] > 0
    assert results.best_configuration is not None
    assert set(results.best_configuration) == {"STEP"}
    assert not c.any(), "the caller's arrays stay as they are"


def test_tunes_on_opencl(opencl_add: str, arrays: Any) -> None:
    a, b, _, _ = arrays
    results = wattune.tune(
        opencl_add, "add", arrays, {"BLOCK": [16, 64], "PER": [1, 4]}, outputs=["c"], block="BLOCK",
        grid="-(-n // (BLOCK * PER))", constraints=["BLOCK * PER <= 128"], answer={"c": a + b}, device="opencl",
        max_samples=7,
    )  # fmt: skip
    assert len(results) == 3
    assert all(each["verified"] for each in results)


def test_the_result_is_called_on_the_callers_arrays(host_add: str, arrays: Any) -> None:
    a, b, c, n = arrays
    results = on_host(host_add, arrays, outputs=["c"])
    results(a, b, c, n)
    assert numpy.array_equal(c, a + b)
    shorter = numpy.zeros(10, numpy.float32)
    results.kernel(a[:10], b[:10], shorter, numpy.int32(10))
    assert numpy.array_equal(shorter, (a + b)[:10])


def test_the_result_is_called_on_opencl_too(opencl_add: str, arrays: Any) -> None:
    a, b, c, n = arrays
    results = wattune.tune(
        opencl_add, "add", arrays, {"BLOCK": [16, 64], "PER": [1, 4]}, block=lambda BLOCK: BLOCK,
        grid=lambda BLOCK, PER: -(-N // (BLOCK * PER)), device="opencl", max_samples=7,
    )  # fmt: skip
    results(a, b, c, n)
    assert numpy.array_equal(c, a + b)


def test_a_call_with_other_arguments_is_refused(host_add: str, arrays: Any) -> None:
    a, b, c, n = arrays
    results = on_host(host_add, arrays)
    with pytest.raises(wattune.InvalidArgumentError, match="takes 4 arguments"):
        results(a, b, c)
    with pytest.raises(wattune.InvalidArgumentError, match="`b`"):
        results(a, b.astype(numpy.float64), c, n)
    with pytest.raises(wattune.InvalidArgumentError, match="`n`"):
        results(a, b, c, N)
    with pytest.raises(wattune.InvalidArgumentError, match="stream"):
        results(a, b, c, n, stream=5)


def test_wrong_outputs_are_a_status(host_add: str, arrays: Any) -> None:
    a, b, _, _ = arrays
    source = host_add.replace("a[j] + b[j]", "a[j] + b[j] * (STEP != 2)")
    results = on_host(source, arrays, answer={"c": a + b})
    assert {each["STEP"]: each["status"] for each in results} == {1: "correct", 2: "correctness", 4: "correct"}


def test_a_kernel_that_crashes_costs_its_configuration(host_add: str, arrays: Any) -> None:
    source = host_add.replace("for (int i", "if (STEP == 2) *(volatile int*)8 = 1;\n  for (int i", 1)
    results = on_host(source, arrays)
    assert {each["STEP"]: each["status"] for each in results} == {1: "correct", 2: "runtime", 4: "correct"}


def test_failures_only_leave_no_best(arrays: Any) -> None:
    results = on_host('extern "C" void add(const float* a, const float* b, float* c, int n) { broken }', arrays)
    assert results.best is None
    assert {each["status"] for each in results} == {"compile"}
    assert results[0]["message"]
    with pytest.raises(wattune.NotFoundError, match="no configuration is correct"):
        results.kernel


def test_a_journal_is_continued_only_with_the_same_arrays(host_add: str, arrays: Any, tmp_path: Path) -> None:
    journal = tmp_path / "add.jsonl"
    first = on_host(host_add, arrays, journal=journal, evaluations=1)
    assert len(first) == 1
    assert first.journal == str(journal)
    assert len(on_host(host_add, arrays, journal=journal)) == 3
    before = journal.read_bytes()
    a, b, c, n = arrays
    with pytest.raises(wattune.MismatchError, match="contents"):
        on_host(host_add, (a + 1, b, c, n), journal=journal)
    assert journal.read_bytes() == before


def test_a_spec_has_everything(tmp_path: Path, host_add: str) -> None:
    (tmp_path / "add.cc").write_text(host_add)
    (tmp_path / "add.toml").write_text("""
[kernel]
file = "add.cc"
function = "add"
arguments = [
  { name = "a", type = "float*", length = "n" },
  { name = "b", type = "float*", length = "n" },
  { name = "c", type = "float*", length = "n", access = "write" },
  { name = "n", type = "int", value = "n" },
]
[problem]
n = 64
[parameters]
STEP = [1, 2]
""")
    results = wattune.tune(tmp_path / "add.toml", sizes={"n": 128}, device="host:0", max_samples=7)
    assert len(results) == 2
    assert results.info["problem_size"] == "128"
    a = numpy.ones(128, numpy.float32)
    c = numpy.zeros(128, numpy.float32)
    results(a, a, c, numpy.int32(128))
    assert c.sum() == 256
    one = wattune.run(tmp_path / "add.toml", configuration={"STEP": 2}, device="host:0")
    assert one[0]["STEP"] == 2
    with pytest.raises(wattune.InvalidArgumentError, match="of its own"):
        wattune.tune(tmp_path / "add.toml", "add")


def test_run_gives_the_outputs(host_add: str, arrays: Any) -> None:
    a, b, _, _ = arrays
    one = wattune.run(host_add, "add", arrays, {"STEP": 2}, device="host:0")
    assert len(one) == 1
    assert one[0]["status"] == "correct"
    assert numpy.array_equal(one.outputs["c"], a + b)


def test_in_process_runs_here(arrays: Any) -> None:
    source = """
#include <unistd.h>
extern "C" void add(const float* a, const float* b, float* c, int n) { c[0] = (float)(getpid() % 65536 + STEP * 0); }
"""
    results = wattune.run(source, "add", arrays, {"STEP": 1}, device="host:0", in_process=True)
    assert results.outputs["c"][0] == os.getpid() % 65536


def test_cheap_texts_and_named_arguments(host_add: str, arrays: Any) -> None:
    a, b, c, n = arrays
    source = lambda STEP: host_add.replace("STEP", str(STEP))  # noqa: E731
    results = on_host(source, {"a": a, "b": b, "c": c, "n": n}, language="C++")
    assert len(results) == 3
    assert results.best is not None
    results(a, b, c, n)
    assert numpy.array_equal(c, a + b)


def test_a_function_returns_its_own_time(arrays: Any) -> None:
    source = 'extern "C" double add(const float* a, const float* b, float* c, int n) { c[0] = 1; return 2.5 * STEP; }'
    results = on_host(source, arrays, returned_time="ms", compiler="c++")
    assert {each["STEP"]: each["time"] for each in results} == pytest.approx({1: 2.5e-3, 2: 5e-3, 4: 1e-2})
    with pytest.raises(wattune.InvalidArgumentError, match="s, ms, us or ns"):
        on_host(source, arrays, returned_time="minutes")


def test_devices_are_listed() -> None:
    assert "host:0" in [each["selector"] for each in wattune.devices()]


def test_a_replay_needs_no_device(tmp_path: Path, host_add: str, arrays: Any) -> None:
    recorded = on_host(host_add, arrays)
    replayed = wattune.tune(replay=recorded)
    assert len(replayed) == 3
    assert recorded.best is not None
    assert {each["STEP"]: each["time"] for each in replayed}.keys() == {1, 2, 4}
    journal = tmp_path / "replay.jsonl"
    assert len(wattune.tune(replay=recorded, journal=journal)) == 3
    assert len(wattune.read(journal)) == 3


def test_half_precision_and_wide_numbers(tmp_path: Path) -> None:
    source = """
extern "C" void twice(const unsigned short* x, unsigned short* y, unsigned long long big, double d, int n) {
  for (int i = 0; i < n; ++i) y[i] = (unsigned short)(x[i] + (big > 1ull << 63) + (d == 0.5) + STEP - STEP);
}
"""
    x = numpy.arange(64).astype(numpy.float16)
    expected = (x.view(numpy.uint16) + 2).view(numpy.float16)
    arguments = [x, numpy.zeros(64, numpy.float16), numpy.uint64(2**63 + 5), numpy.float64(0.5), numpy.int32(64)]
    results = wattune.tune(source, "twice", arguments, {"STEP": [1, 2]}, answer={"y": expected}, device="host:0")
    assert [each["status"] for each in results] == ["correct", "correct"]
