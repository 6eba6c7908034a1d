"""What the ranks of a distributed program agree on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Place = tuple[object, ...]


def agreed_of(everyone: Sequence[dict[Place, tuple[bool, dict[str, Any]]]]) -> dict[Place, dict[str, Any]]:
    """Returns the configuration of each place: a winner before a guess, that of a lower rank before a higher one."""
    agreed: dict[Place, dict[str, Any]] = {}
    for exact in (True, False):
        for choices in everyone:
            for place, (is_winner, configuration) in choices.items():
                if is_winner == exact:
                    agreed.setdefault(place, configuration)
    return agreed
