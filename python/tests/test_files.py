"""Files: whatever `wattune show` reads, wisdom, co-run results, and pages."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import wattune

OLDER = Path(__file__).parents[2] / "tests" / "older"
COMMAND = [sys.executable, "-c", "import sys; from wattune._command import main; sys.exit(main())"]


def driven(**options: Any) -> wattune.Search:
    search = wattune.Search({"x": range(15), "<b>": ["&", "t"]}, strategy="exhaustive", **options)
    for configuration in search:
        failed = configuration["x"] == 3
        search.tell(configuration, wattune.Failed("</script>") if failed else 1e-6 * (1 + configuration["x"]))
    return search


@pytest.fixture
def results() -> wattune.Results:
    return driven(name="</script><script>alert(1)</script>").results()


def shown(file: Path) -> Any:
    """Returns what `wattune show --json` says about a file."""
    done = subprocess.run([*COMMAND, "show", str(file), "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("format", ["json", "t4", "csv", "kernel_tuner"])
def test_is_written_and_read(results: wattune.Results, tmp_path: Path, format: str) -> None:
    file = tmp_path / "results"
    results.write(file, format)
    read = wattune.read(file)
    assert len(read) == 30
    assert read.best is not None
    assert results.best is not None
    assert read.best["x"] == results.best["x"] == 0
    with pytest.raises(wattune.AlreadyExistsError):
        results.write(file, format)
    results.write(file, format, overwrite=True)
    with pytest.raises(wattune.UnavailableError, match="no kernel"):
        read.kernel


def test_runs_of_databases_are_read(results: wattune.Results, tmp_path: Path) -> None:
    results.write(tmp_path / "a.json")
    driven(name="other").results().write(tmp_path / "b.json")
    database = tmp_path / "all.sqlite"
    export = [*COMMAND, "export", "a.json", "b.json", "--format", "sqlite", "--output", str(database)]
    subprocess.run(export, cwd=tmp_path, capture_output=True, check=True)
    assert wattune.read(f"{database}#2").info["kernel"] == "other"
    with pytest.raises(wattune.InvalidArgumentError, match="holds 2 runs"):
        wattune.read(database)


def test_compressed_files_are_read(results: wattune.Results, tmp_path: Path) -> None:
    results.write(tmp_path / "results.json")
    subprocess.run(["gzip", str(tmp_path / "results.json")], check=True)
    assert len(wattune.read(tmp_path / "results.json.gz")) == 30


def test_reads_what_show_shows(results: wattune.Results, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    read = wattune.read(driven(journal=file).results().journal or file)
    told = shown(file)
    assert len(read) == told["evaluated"] == 30
    assert read.best is not None
    assert read.best["time"] == pytest.approx(1e-3 * told["best"][0]["time_ms"])
    assert read.best["x"] == told["best"][0]["configuration"]["x"]


def test_files_that_are_no_results(tmp_path: Path) -> None:
    with pytest.raises(wattune.NotFoundError):
        wattune.read(tmp_path / "none")
    for text in ('{"wattune_journal":2,', "words", '{"pairs":[]}', '{"simulated":true}', "[]"):
        (tmp_path / "torn").write_text(text)
        with pytest.raises(wattune.ParseError) as caught:
            wattune.read(tmp_path / "torn")
        assert "\n" not in str(caught.value)
    with pytest.raises(wattune.Error):
        wattune.read(tmp_path)
    with pytest.raises(wattune.InvalidArgumentError, match="unknown format"):
        wattune.Search({"x": [1]}).results().write(tmp_path / "x", "xml")


def test_wisdom_becomes_a_table() -> None:
    table = wattune.read(OLDER / "app.wisdom")
    told = shown(OLDER / "app.wisdom")["wisdom"]
    assert isinstance(table, wattune.Table)
    assert len(table) == len(told) > 0
    for record, entry in zip(table, told):
        assert type(record) is dict
        assert record["time"] == pytest.approx(1e-3 * entry["time_ms"])
        assert [record["low"], record["high"]] == pytest.approx([1e-3 * each for each in entry["interval_ms"]])
        for name in set(entry) - {"time_ms", "interval_ms"}:
            assert record[name] == entry[name]
    assert str(OLDER / "app.wisdom") in repr(table)
    assert "saxpy" in repr(table)
    assert set(table.columns()) == set(table[0])


def test_wisdom_that_is_torn_or_read_only_is_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    text = (OLDER / "app.wisdom").read_text()
    file = tmp_path / "torn.wisdom"
    file.write_text(text + text[: len(text) // 2])
    file.chmod(0o444)
    with caplog.at_level(logging.WARNING, "wattune"):
        assert len(wattune.read(file)) == len(wattune.read(OLDER / "app.wisdom"))
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert str(file) in caplog.text
    assert file.read_text() == text + text[: len(text) // 2]


def test_wisdom_of_another_compiler_tells_its_version(tmp_path: Path, host_add: str) -> None:
    (tmp_path / "add.cc").write_text(host_add)
    spec = tmp_path / "add.toml"
    head = '[kernel]\nfile = "add.cc"\nfunction = "add"\n'
    rest = (
        'arguments = [{ name = "a", type = "float*", length = "n" },\n'
        '  { name = "b", type = "float*", length = "n" },\n'
        '  { name = "c", type = "float*", length = "n", access = "write" },\n'
        '  { name = "n", type = "int", value = "n" }]\n'
        "[problem]\nn = 64\n[parameters]\nSTEP = [1, 2]\n"
    )
    versions = []
    for number, options in enumerate((["-O1"], ["-O2"])):
        spec.write_text(f"{head}options = {json.dumps(options)}\n{rest}")
        journal = tmp_path / f"{number}.jsonl"
        wattune.tune(spec, device="host:0", max_samples=7, journal=journal)
        file = tmp_path / f"{number}.wisdom"
        export = ["export", str(journal), "--format", "wisdom", "--spec", str(spec), "--output", str(file)]
        subprocess.run([*COMMAND, *export], capture_output=True, check=True)
        versions += [entry["version"] for entry in wattune.read(file)]
    assert len(set(versions)) == 2


def test_pairs_become_a_table() -> None:
    table = wattune.read(OLDER / "corun.jsonl")
    assert isinstance(table, wattune.Table)
    assert len(table) > 0
    for pair in table:
        assert len(pair["kernels"]) == len(pair["alone_ms"]) == 2
        assert {"way", "gain", "makespan_ms"} <= set(pair["rows"][0])
    assert "kernels" in repr(table)
    assert "<table>" in table._repr_html_()


def test_documents_of_corun_become_tables(tmp_path: Path) -> None:
    pairs = list(wattune.read(OLDER / "corun.jsonl"))
    file = tmp_path / "corun.json"
    document = {"device": "a GPU", "simulated": True, "repeats": 3, "pairs": pairs, "queue": None, "tenants": None}
    file.write_text(json.dumps(document))
    assert list(wattune.read(file)) == pairs
    policies = [{"policy": "paired", "gain": 0.1}, {"policy": "in_order", "gain": 0.0}]
    for name in ("queue", "tenants"):
        file.write_text(json.dumps({**document, "pairs": None, name: {"policies": policies}}))
        table = wattune.read(file)
        assert list(table) == policies
        assert table.columns()["policy"] == ["paired", "in_order"]


def page_of(results: Any, file: Path) -> str:
    results.report(file)
    page = file.read_text()
    assert page.startswith("<!")
    with pytest.raises(wattune.AlreadyExistsError):
        results.report(file)
    assert file.read_text() == page
    results.report(file, overwrite=True)
    return page


def test_a_page_of_results(results: wattune.Results, tmp_path: Path) -> None:
    page = page_of(results, tmp_path / "page.html")
    assert "<script>alert" not in page
    assert page.count("</script>") == page.count("<script")
    with pytest.raises(wattune.NotFoundError, match="cannot write"):
        results.report(tmp_path / "no" / "folder.html")


def test_a_page_is_that_of_the_command(tmp_path: Path) -> None:
    journal = tmp_path / "run.jsonl"
    driven(journal=journal)
    page = page_of(wattune.read(journal), tmp_path / "page.html")
    subprocess.run([*COMMAND, "report", str(journal), "--output", str(tmp_path / "command.html")], check=True)
    assert page == (tmp_path / "command.html").read_text()


def test_a_page_of_failures_only(tmp_path: Path) -> None:
    search = wattune.Search({"x": range(3)})
    for configuration in search:
        search.tell(configuration, wattune.Failed("no memory"))
    results = search.results()
    assert results.best is None
    assert results.best_configuration is None
    assert results.gain is None
    assert repr(results).startswith("3 configurations")
    assert "<table>" in results._repr_html_()
    assert results.columns()["time"] == [None] * 3
    assert "no memory" in page_of(results, tmp_path / "page.html")


@pytest.mark.parametrize("name", ["app.wisdom", "corun.jsonl"])
def test_pages_of_tables(name: str, tmp_path: Path) -> None:
    page = page_of(wattune.read(OLDER / name), tmp_path / "page.html")
    subprocess.run([*COMMAND, "report", str(OLDER / name), "--output", str(tmp_path / "command.html")], check=True)
    assert page == (tmp_path / "command.html").read_text()


def test_tables_become_pandas_and_arrow() -> None:
    pandas = pytest.importorskip("pandas")
    table = wattune.read(OLDER / "app.wisdom")
    assert isinstance(table.to_pandas(), pandas.DataFrame)
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.table(table).num_rows == len(table)
