"""Results: a sequence of plain dicts that shows itself and turns into tables."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
import wattune


@pytest.fixture
def results() -> wattune.Results:
    search = wattune.Search({"x": range(15), "<b>": ["&", "t"]}, strategy="exhaustive", name="<script>")
    for configuration in search:
        failed = configuration["x"] == 3
        search.tell(configuration, wattune.Failed("</script>") if failed else 1e-6 * (1 + configuration["x"]))
    return search.results()


def test_is_a_sequence_of_plain_dicts(results: wattune.Results) -> None:
    assert len(results) == 30
    assert all(type(each) is dict for each in results)
    assert json.loads(json.dumps(list(results))) == list(results)
    assert results[-1] == list(results)[-1]
    assert results[2:4] == list(results)[2:4]
    with pytest.raises(IndexError):
        results[30]


def test_prints_as_a_table_with_the_best_first(results: wattune.Results) -> None:
    lines = repr(results).splitlines()
    assert "30 configurations" in lines[0]
    assert "1 us" in lines[2]
    assert lines[-1] == "... and 20 more"


def test_draws_itself_without_trusting_names(results: wattune.Results) -> None:
    page = results._repr_html_()
    assert "<table>" in page
    assert "<script>" not in page
    assert "&lt;b&gt;" in page


def test_columns_have_a_value_for_each_result(results: wattune.Results) -> None:
    columns = results.columns()
    assert {len(column) for column in columns.values()} == {30}
    assert columns["time"].count(None) == 2
    assert columns["message"].count("</script>") == 2


def test_becomes_pandas_and_arrow(results: wattune.Results) -> None:
    pandas = pytest.importorskip("pandas")
    frame = results.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.shape[0] == 30
    assert frame["time"].min() == pytest.approx(1e-6)
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.table(results).num_rows == 30


def test_figures_step_aside_for_parameters_of_their_name() -> None:
    search = wattune.Search({"status": [1, 2], "message": ["m"]})
    for configuration in search:
        search.tell(configuration, 1.0)
    record: Any = search.results()[0]
    assert record["status"] in (1, 2)
    assert record["status_"] == "correct"
    assert record["message"] == "m"


def test_importing_loads_nothing_else() -> None:
    program = """
import sys, logging
before = set(sys.modules)
import wattune
wattune.Search
new = set(sys.modules) - before
print([name for name in ("numpy", "torch", "pandas", "pyarrow", "cupy") if name in new])
print(logging.getLogger("wattune").handlers, logging.getLogger().handlers)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n[] []\n"
    assert done.stderr == ""


def test_the_command_runs_in_the_package() -> None:
    program = "import sys; from wattune._command import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", program, "version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"wattune {wattune.__version__}\n"
    done = subprocess.run([sys.executable, "-c", program, "tun"], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "tune" in done.stderr
