"""The table of arguments: the functions, the table of the code and the page agree."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from wattune.kernel_tuner import arguments, interface

PAGE = Path(__file__).parents[2] / "docs" / "kernel_tuner.md"
BOTH = [(interface.tune_kernel, arguments.TUNE_KERNEL, 37), (interface.run_kernel, arguments.RUN_KERNEL, 20)]


@pytest.mark.parametrize(("function", "table", "count"), BOTH)
def test_the_functions_have_the_arguments_of_the_table(function: object, table: object, count: int) -> None:
    parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    declared = [(each.name, arguments.REQUIRED if each.default is each.empty else each.default) for each in parameters]
    assert declared == [(each.name, each.default) for each in table]  # type: ignore[attr-defined]
    assert len(declared) == count


def test_each_argument_has_a_verdict_and_every_difference_a_note() -> None:
    for each in (*arguments.TUNE_KERNEL, *arguments.RUN_KERNEL):
        assert each.verdict in ("same", "differs", "refused")
        assert bool(each.note) == (each.verdict != "same"), each.name


def test_the_page_has_the_table_of_the_code() -> None:
    assert arguments.table() in PAGE.read_text(encoding="utf-8")
