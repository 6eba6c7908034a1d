"""Search: ask for configurations, measure them yourself, tell the results."""

from __future__ import annotations

import os

from . import _core
from ._core import StopRule
from ._log import deliver, listen
from ._results import Results
from ._space import Space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from ._types import Configuration, Constraint, Record


class Search:
    """A search that its caller drives.

        search = wattune.Search({"x": range(100)}, ["x % 2 == 0"], evaluations=60, journal="x.jsonl")
        for configuration in search:
            search.tell(configuration, measure(**configuration))
        search.best

    `parameters` are the lists of values by name, or a Space. Without any limit, spaces of up to 200 configurations are
    searched completely, larger ones for five minutes. `target` is a time in seconds that is good enough, `fraction` a
    share of the space, `no_improvement` a number of evaluations. `strategy` is a name of strategies().

    Each result is in the file `journal` before tell() returns. A journal that exists is continued, and what it holds is
    not asked for again; raises MismatchError if it is of another search. One thread at a time uses a search.
    """

    def __init__(
        self,
        parameters: Mapping[str, Any] | Space,
        constraints: Sequence[Constraint] | Constraint = (),
        *,
        strategy: str = "",
        strategy_options: Mapping[str, float] | None = None,
        evaluations: int | None = None,
        seconds: float | None = None,
        target: float | None = None,
        fraction: float | None = None,
        no_improvement: int | None = None,
        seed: int = 1,
        name: str = "search",
        journal: str | os.PathLike[str] | None = None,
    ) -> None:
        listen()
        space = parameters if isinstance(parameters, Space) else Space(parameters, constraints)
        nanoseconds = None if target is None else target * 1e9
        stop = StopRule(evaluations, seconds, nanoseconds, fraction, no_improvement)
        self._space = space
        self._search = _core.Search(
            space, strategy, seed, dict(strategy_options or {}), stop, name, os.fspath(journal or "")
        )
        self.ask = self._search.ask
        """Returns the next configuration; None once the search is over. Raises if the last one was not told."""
        self.tell = self._search.tell
        """Takes the result of the configuration that ask() returned: seconds, a list of them, or Failed."""
        deliver()

    def __iter__(self) -> Iterator[Configuration]:
        while (configuration := self._search.ask()) is not None:
            yield configuration

    def __len__(self) -> int:
        """Returns the number of results so far, with those of the journal."""
        return self._search.count()

    @property
    def space(self) -> Space:
        """The search space."""
        return self._space

    @property
    def best(self) -> Record | None:
        """The best result so far; None before the first correct one."""
        return self._search.best()

    def results(self) -> Results:
        """Returns all results so far."""
        return Results(self._search.results())

    def __repr__(self) -> str:
        return f"<Search, {len(self)} results in {self._space!r}>"


def strategies() -> list[dict[str, Any]]:
    """Returns name, description and parameters of every strategy."""
    return _core.strategies()
