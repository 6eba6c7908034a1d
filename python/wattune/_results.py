"""Results: what a run measured, as plain dicts, tables and columns."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, overload

from . import _core

if TYPE_CHECKING:
    import pandas

Record = dict[str, Any]
"""A configuration with its results: the parameters, `time` (seconds; None if it failed), `status`, `message`,
`verified`, `samples` (seconds) and each metric."""

_SHOWN = 10  # rows of a printed table
_HIDDEN = ("samples", "message", "verified", "message_", "verified_", "samples_")


def _time_text(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1.0:
            return f"{seconds * factor:.4g} {unit}"
    return f"{seconds * 1e9:.4g} ns"


def _cell(name: str, value: object) -> str:
    if value is None:
        return ""
    if name in ("time", "time_") and isinstance(value, float):
        return _time_text(value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)


class Results(Sequence[Record]):
    """The results of a run, one for each configuration, in the order in which they were measured.

    Each result is a plain dict (Record). The object prints as a table, draws itself in a notebook, and is called like
    the kernel, which then runs in its best configuration.
    """

    def __init__(self, results: _core.Results, *, journal: str = "",
                 make_kernel: Callable[[Record], Callable[..., None]] | None = None,
                 outputs: dict[str, Any] | None = None) -> None:  # fmt: skip
        self._results = results
        self._make_kernel = make_kernel
        self._kernel: Callable[..., None] | None = None
        self._summary = results.summary()
        self.journal = journal
        """The file with the results; empty if there is none."""
        self.info: dict[str, Any] = results.info()
        """What was tuned: kernel, device, constraints and so on."""
        self.outputs: dict[str, Any] = outputs or {}
        """The outputs of the kernel by name, after run(); NumPy arrays if NumPy is there."""

    def __len__(self) -> int:
        return len(self._results)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> list[Record]: ...
    def __getitem__(self, index: int | slice) -> Record | list[Record]:
        if isinstance(index, slice):
            return [self._results.record(each) for each in range(*index.indices(len(self)))]
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"there are {len(self)} results, none has the number {index}")
        return self._results.record(position)

    @property
    def best(self) -> Record | None:
        """The best result; None if no configuration is correct."""
        index = self._results.best_index()
        return None if index is None else self._results.record(index)

    @property
    def best_configuration(self) -> dict[str, Any] | None:
        """The parameters of the best result."""
        best = self.best
        return None if best is None else {name: best[name] for name in self._results.parameter_names()}

    @property
    def ties(self) -> list[Record]:
        """Configurations that the final could not tell from the best."""
        return list(self._summary.get("ties", []))

    @property
    def baseline(self) -> Record | None:
        """The default configuration, with which the search began."""
        return self._summary.get("baseline")

    @property
    def gain(self) -> float | None:
        """How many times better the best is than the default configuration."""
        return self._summary.get("gain")

    @property
    def cancelled(self) -> bool:
        """Tells whether the run was ended before its time: by Ctrl-C or by a stop function."""
        return bool(self._summary.get("cancelled", False))

    @property
    def stop_reason(self) -> str | None:
        """Why the search ended, in words; None for results of a file."""
        return self._summary.get("stop_reason")

    @property
    def seconds(self) -> float | None:
        """How long the run took; None for results of a file."""
        return self._summary.get("seconds")

    @property
    def kernel(self) -> Callable[..., None]:
        """The kernel in its best configuration: call it with the kernel's arguments, and with a `stream` of CUDA.

        Raises UnavailableError for results of a file, and NotFoundError if no configuration is correct.
        """
        if self._kernel is None:
            from ._errors import exception

            best = self.best_configuration
            if best is None:
                raise exception("not_found", "no configuration is correct, so there is no kernel to call", {})
            if self._make_kernel is None:
                raise exception("unavailable", "results of a file have no kernel (wattune.tune() makes one)", {})
            self._kernel = self._make_kernel(best)
        return self._kernel

    def __call__(self, *arguments: object, **options: object) -> None:
        """Runs the kernel in its best configuration on the caller's arrays (kernel)."""
        self.kernel(*arguments, **options)

    def columns(self) -> dict[str, list[Any]]:
        """Returns the results by column: each parameter, `time`, `status`, `message`, and each metric."""
        return self._results.columns()

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a pandas.DataFrame with a row for each result. Raises ImportError without pandas."""
        import pandas

        return pandas.DataFrame(self.columns())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Returns the columns as an Arrow stream, which needs PyArrow: `pyarrow.table(results)`, polars and others."""
        import pyarrow

        return pyarrow.table(self.columns()).__arrow_c_stream__(requested_schema)

    def write(self, file: str | os.PathLike[str], format: str = "json", *, overwrite: bool = False) -> None:
        """Writes all results as `json`, `t4`, `csv` or `kernel_tuner` (docs/formats). Raises AlreadyExistsError."""
        self._results.write(os.fspath(file), format, overwrite)

    def report(self, file: str | os.PathLike[str]) -> None:
        """Writes a page of HTML about the run, as `wattune report` does. Raises UnavailableError if it fails."""
        from ._command import write_report

        write_report(self, os.fspath(file))

    def _table(self) -> tuple[list[str], list[list[str]]]:
        records = [self._results.record(index) for index in self._results.best_indices(_SHOWN)]
        names = [name for name in dict.fromkeys(key for record in records for key in record) if name not in _HIDDEN]
        return names, [[_cell(name, record.get(name)) for name in names] for record in records]

    def _heading(self) -> str:
        text = f"{len(self)} configurations of {self.info['kernel'] or 'a kernel'} on {self.info['device'] or '?'}"
        gain = self.gain
        if gain is not None:
            text += f", the best is {gain:.3g} times as good as the default"
        return text

    def __repr__(self) -> str:
        names, rows = self._table()
        widths = [max(map(len, column)) for column in zip(names, *rows)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in [names, *rows]]
        more = [f"... and {len(self) - _SHOWN} more"] if len(self) > _SHOWN else []
        return "\n".join([self._heading(), *lines, *more])

    def _repr_html_(self) -> str:
        names, rows = self._table()
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        more = f"<p>and {len(self) - _SHOWN} more</p>" if len(self) > _SHOWN else ""
        heading = f"<p>{html.escape(self._heading())}</p>"
        return f"{heading}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def read(file: str | os.PathLike[str]) -> Results:
    """Reads results: a journal, T4, a cache of Kernel Tuner, JSON, a table, a database of SQLite.

    Compressed files are read, too. "all.sqlite#2" names a run of a database. Raises NotFoundError and ParseError.
    """
    return Results(_core.read(os.fspath(file)), journal=os.fspath(file))
