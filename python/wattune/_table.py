"""Table: a sequence of plain dicts that prints, draws itself in a notebook, and becomes columns or a page."""

from __future__ import annotations

import os
from collections.abc import Sequence

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, overload

    import pandas

    from ._types import Record

    Records = Sequence[Record]
else:
    Records = Sequence

_SHOWN = 10  # rows of a printed table
_HIDDEN = ("samples", "message", "verified", "message_", "verified_", "samples_", "phases", "phases_")


def time_text(seconds: float) -> str:
    """Returns a time with the unit that suits it, such as "1.5 ms"."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1.0:
            return f"{seconds * factor:.4g} {unit}"
    return f"{seconds * 1e9:.4g} ns"


def _cell(name: str, value: object) -> str:
    if value is None:
        return ""
    if name in ("time", "time_") and isinstance(value, float):
        return time_text(value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)


class Table(Records):
    """Records of a file: wisdom, or what kernels did together. Each is a plain dict; see read().

    The object prints as a table and draws itself in a notebook. `pandas` and `pyarrow.table()` take it.
    """

    def __init__(self, records: Sequence[Record], heading: str, file: str) -> None:
        self._records = records
        self._title = heading
        self._file = file

    def __len__(self) -> int:
        return len(self._records)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: int) -> Record: ...
        @overload
        def __getitem__(self, index: slice) -> list[Record]: ...

    def __getitem__(self, index: int | slice) -> Record | list[Record]:
        if isinstance(index, slice):
            return [self._record(each) for each in range(*index.indices(len(self)))]
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"there are {len(self)} results, none has the number {index}")
        return self._record(position)

    def columns(self) -> dict[str, list[Any]]:
        """Returns the records by column. A record without a member has None there."""
        names = dict.fromkeys(name for record in self for name in record)
        return {name: [record.get(name) for record in self] for name in names}

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a pandas.DataFrame with a row for each record. Raises ImportError without pandas."""
        import pandas

        return pandas.DataFrame(self.columns())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Returns the columns as an Arrow stream, which needs PyArrow: `pyarrow.table(results)`, polars and others."""
        import pyarrow

        return pyarrow.table(self.columns()).__arrow_c_stream__(requested_schema)

    def report(self, file: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes a page of HTML, as `wattune report` does. Raises AlreadyExistsError and IoError."""
        _core.write_report(self._file, os.fspath(file), overwrite)

    def _record(self, index: int) -> Record:
        return self._records[index]

    def _shown(self, most: int) -> list[Record]:
        return self[:most]

    def _heading(self) -> str:
        return self._title

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        records = self._shown(_SHOWN)
        names = [name for name in dict.fromkeys(key for record in records for key in record) if name not in _HIDDEN]
        return names, [[_cell(name, record.get(name)) for name in names] for record in records]

    def __repr__(self) -> str:
        names, rows = self._cells()
        widths = [max(map(len, column)) for column in zip(names, *rows)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in [names, *rows]]
        more = [f"... and {len(self) - _SHOWN} more"] if len(self) > _SHOWN else []
        return "\n".join([self._heading(), *lines, *more])

    def _repr_html_(self) -> str:
        from html import escape

        names, rows = self._cells()
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        more = f"<p>and {len(self) - _SHOWN} more</p>" if len(self) > _SHOWN else ""
        heading = f"<p>{escape(self._heading())}</p>"
        return f"{heading}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
