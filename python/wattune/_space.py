"""Space: the set of valid configurations."""

from __future__ import annotations

from . import _core
from ._functions import split_constraints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from ._types import Configuration, Constraint


class Space(_core.Space):
    """The valid configurations of some parameters, each with an id from 0 to count() - 1.

    Building takes milliseconds even for millions of configurations, if constraints are texts. A function is called for
    the values of the parameters that it names. Raises InvalidArgumentError if no configuration is valid, NotFoundError
    for an unknown name, ParseError, and whatever a function raises.

    Method: a counted decision diagram (docs/space.md).
    """

    def __init__(
        self,
        parameters: Mapping[str, Any],
        constraints: Sequence[Constraint] | Constraint = (),
        *,
        default: Mapping[str, object] | None = None,
    ) -> None:
        texts, functions = split_constraints(constraints, list(parameters))
        super().__init__(dict(parameters), texts, functions, dict(default or {}))

    def __iter__(self) -> Iterator[Configuration]:
        at = self.next(0)
        while at is not None:
            yield self.configuration(at)
            at = self.next(at + 1)

    def __contains__(self, configuration: object) -> bool:
        if not isinstance(configuration, dict):
            return False
        try:
            self.find(configuration)
        except (LookupError, ValueError):
            return False
        return True

    def __repr__(self) -> str:
        about = "" if self.exact() else "at most "
        return f"<Space of {about}{self.count():,} configurations, {len(self.parameters())} parameters>"
