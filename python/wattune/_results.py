"""Results: what a run measured, as plain dicts, tables and columns."""

from __future__ import annotations

import os

from . import _core
from ._table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Union

    from ._types import Record

_WARNING = 30  # a level of Python's logging


class Results(Table):
    """The results of a run, one for each configuration, in the order in which they were measured.

    Each result is a plain dict: the parameters, `time` (seconds; None if it failed), `status`, `message`, `verified`,
    `samples` (seconds) and each metric. The object prints as a table, draws itself in a notebook, and is called like
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

    def write(self, file: str | os.PathLike[str], format: str = "json", *, overwrite: bool = False) -> None:
        """Writes all results as `json`, `t4`, `csv` or `kernel_tuner` (docs/formats). Raises AlreadyExistsError."""
        self._results.write(os.fspath(file), format, overwrite)

    def report(self, file: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes a page of HTML about the run, as `wattune report` does. Raises AlreadyExistsError and IoError."""
        self._results.report(self.journal or self.info["kernel"], os.fspath(file), overwrite)

    def _record(self, index: int) -> Record:
        return self._results.record(index)

    def _shown(self, most: int) -> list[Record]:
        return [self._results.record(index) for index in self._results.best_indices(most)]

    def _heading(self) -> str:
        text = f"{len(self)} configurations of {self.info['kernel'] or 'a kernel'} on {self.info['device'] or '?'}"
        gain = self.gain
        if gain is not None:
            text += f", the best is {gain:.3g} times as good as the default"
        return text


def read(file: str | os.PathLike[str]) -> Union[Results, Any]:
    """Reads results: a journal, T4, a cache of Kernel Tuner, JSON, a table, a database of SQLite.

    Compressed files are read, too. "all.sqlite#2" names a run of a database. Raises NotFoundError and ParseError.

    A wisdom file becomes a Table with a record for each entry: `kernel`, `version`, `device`, `architecture`, `key` (a
    dict), `configuration` (a dict), `time` with its interval from `low` to `high` (seconds), `samples`, `measured`,
    `tuned` and `measured_at`. What `wattune corun` wrote becomes a Table, too, with a record for each pair, or for each
    policy with a queue or tenants; its members are those of docs/formats/json.md, with times in milliseconds.
    """
    name = os.fspath(file)
    found = _core.read(name)
    if isinstance(found, _core.Results):
        return Results(found, journal=name)
    from ._log import deliver

    kind, records, notes = found
    deliver((_WARNING, note) for note in notes)
    if isinstance(records, str):
        import json

        records = json.loads(records)
    return Table(records, f"{len(records)} {kind} in {name}", name)
