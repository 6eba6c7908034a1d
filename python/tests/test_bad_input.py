"""Bad input: one clear error each, and what was measured is kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import wattune

numpy = pytest.importorskip("numpy")

SOURCE = 'extern "C" void f(const float* a, float* c, int n) { for (int i = 0; i < n; ++i) c[i] = a[i] + K - K; }'

NOTHING_ELSE = {"function": None, "arguments": None, "parameters": None}


def good() -> dict[str, Any]:
    a = numpy.ones(8, numpy.float32)
    return {
        "kernel": SOURCE, "function": "f", "arguments": [a, a.copy(), numpy.int32(8)], "parameters": {"K": [1, 2]},
        "device": "host:0", "max_samples": 7,
    }  # fmt: skip


def one_line(error: BaseException) -> str:
    text = str(error)
    assert text
    assert "\n" not in text
    return text


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"kernel": 5}, wattune.InvalidArgumentError, "the kernel is a text"),
        ({"kernel": "missing.cc"}, wattune.NotFoundError, "missing.cc"),
        (
            {"kernel": "missing.toml", "function": None, "arguments": None, "parameters": None},
            wattune.NotFoundError,
            "",
        ),
        ({"kernel": None}, wattune.InvalidArgumentError, "needs a kernel"),
        ({"function": None}, wattune.InvalidArgumentError, "which function"),
        ({"arguments": [numpy.ones(8, numpy.float32)]}, wattune.InvalidArgumentError, "has 3 parameters"),
        ({"arguments": [numpy.ones(8, numpy.float32)] * 2 + [8]}, wattune.InvalidArgumentError, "numpy.int32"),
        (
            {"arguments": [numpy.ones(16, numpy.float32)[::2]] * 2 + [numpy.int32(8)]},
            wattune.InvalidArgumentError,
            "contig",
        ),
        ({"arguments": [numpy.ones(8)] * 2 + [numpy.int32(8)]}, wattune.MismatchError, "a"),
        ({"arguments": [None, object(), numpy.int32(8)]}, wattune.InvalidArgumentError, "`c`"),
        ({"outputs": ["d"]}, wattune.InvalidArgumentError, "there are a, c"),
        ({"answer": {"d": numpy.ones(8)}}, wattune.InvalidArgumentError, "`d`"),
        ({"answer": {"c": numpy.ones(8)}}, wattune.InvalidArgumentError, "another type"),
        ({"answer": {"c": numpy.ones(7, numpy.float32)}}, wattune.InvalidArgumentError, "7 elements"),
        ({"answer": {"c": 1.0}}, wattune.InvalidArgumentError, "no array"),
        ({"parameters": {"K": 5}}, wattune.InvalidArgumentError, "list of values"),
        ({"parameters": {"K": []}}, wattune.InvalidArgumentError, "K"),
        ({"constraints": ["K > 5"]}, wattune.InvalidArgumentError, "K > 5"),
        ({"constraints": ["L > 5"]}, wattune.NotFoundError, "L"),
        ({"default": {"K": 9}}, wattune.InvalidArgumentError, "9"),
        ({"device": "cuda:99"}, wattune.Error, "cuda"),
        ({"strategy": "best"}, wattune.NotFoundError, "best"),
        ({"minimize": "speed"}, wattune.NotFoundError, "speed"),
        ({"minimize": "time", "slowdown": 0.1}, wattune.InvalidArgumentError, "slowdown"),
        ({"minimize": "energy", "target": 1.0}, wattune.InvalidArgumentError, "target"),
        ({"observe": ["noise"]}, wattune.NotFoundError, "noise"),
        ({"observers": [5]}, wattune.InvalidArgumentError, "an observer"),
        ({"evaluations": 0}, wattune.InvalidArgumentError, "0"),
        ({"seconds": -1}, wattune.InvalidArgumentError, ""),
        ({"cache": "hot"}, wattune.InvalidArgumentError, "warm, cold"),
        ({"launch": "batch"}, wattune.InvalidArgumentError, "each, graph"),
        ({"check_outputs": "some"}, wattune.InvalidArgumentError, "every"),
        ({"min_samples": 0}, wattune.InvalidArgumentError, ""),
        ({"language": "Fortran"}, wattune.InvalidArgumentError, "CUDA, OpenCL"),
        ({"metrics": {"m": "1 / x"}}, wattune.NotFoundError, "x"),
        ({"block": [1, 2, 3, 4]}, wattune.InvalidArgumentError, "three dimensions"),
        ({"block": 1.5}, wattune.InvalidArgumentError, "block"),
        ({"sizes": {"n": 9}}, wattune.InvalidArgumentError, "differs"),
    ],
)
def test_bad_arguments(changed: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        wattune.tune(**{**good(), **changed})
    assert words in one_line(caught.value)


def test_a_source_that_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "f.cc"
    file.write_bytes(b"\x7fELF\xff\xfe")
    with pytest.raises(wattune.InvalidArgumentError, match="UTF-8") as caught:
        wattune.tune(**{**good(), "kernel": file})
    assert "f.cc" in one_line(caught.value)


def test_an_unwritable_journal(tmp_path: Path) -> None:
    with pytest.raises(wattune.Error) as caught:
        wattune.tune(**good(), journal=tmp_path / "no" / "folder" / "x.jsonl")
    assert "folder" in one_line(caught.value)


@pytest.mark.parametrize("text", ["", "{}\n", "not a journal\n"])
def test_journals_that_are_none(tmp_path: Path, text: str) -> None:
    journal = tmp_path / "x.jsonl"
    journal.write_text(text)
    if not text:
        assert len(wattune.tune(**good(), journal=journal)) == 2
        return
    with pytest.raises(wattune.Error) as caught:
        wattune.tune(**good(), journal=journal)
    assert "x.jsonl" in one_line(caught.value)
    assert journal.read_text() == text


def test_a_torn_journal_goes_on(tmp_path: Path) -> None:
    journal = tmp_path / "x.jsonl"
    wattune.tune(**good(), journal=journal)
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-20])
    assert len(wattune.tune(**good(), journal=journal)) == 2


def test_an_unwritable_home(python: Any) -> None:
    environment = {**os.environ, "HOME": "/proc/none", "XDG_CACHE_HOME": "/proc/none"}
    done = python(
        "import numpy as np, wattune\n"
        f"source = {SOURCE!r}\n"
        "a = np.ones(8, np.float32)\n"
        'r = wattune.tune(source, "f", [a, a.copy(), np.int32(8)], {"K": [1, 2]}, device="host:0", max_samples=7)\n'
        "print(len(r))",
        env=environment,
    )
    assert done.stdout == "2\n", done.stderr


def test_a_quota_that_is_full(tmp_path: Path, python: Any) -> None:
    done = python(
        f"""
import os, resource, wattune
journal = {str(tmp_path / "x.jsonl")!r}
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
search = wattune.Search({{"x": range(100)}}, journal=journal)
resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(journal) + 1000,) * 2)
told = 0
try:
    for configuration in search:
        search.tell(configuration, 1.0)
        told += 1
except wattune.IoError as error:
    print("io", told, len(wattune.read(journal)))
"""
    )
    words = done.stdout.split()
    assert words[0] == "io", done.stderr
    assert words[1] == words[2] != "0"
