"""Groups of equal evaluators, and the probe that finds one that is equal by name only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from .._errors import Error, exception
from .seat import Seat

PROBE_SHARE = 0.03
"""How far the time of the probe may be off the group's median, as a share of it."""


class Group:
    """Evaluators of one identity, whose times may be compared."""

    def __init__(self, seats: Sequence[Seat]) -> None:
        self.seats = list(seats)
        self.identity = seats[0].identity

    @property
    def name(self) -> str:
        """The model of the group's devices."""
        return self.identity.get("device", "")

    @property
    def is_of_gpus(self) -> bool:
        """Tells whether its devices are boards of their own, and not shares of a processor."""
        return self.seats[0].kind == "gpu"

    def differences(self, other: Group) -> list[str]:
        """Returns what tells this group from another: `driver 550.54 and 535.104`."""
        names = sorted({*self.identity, *other.identity})
        return [f"{name} {self.identity.get(name, 'unknown')} and {other.identity.get(name, 'unknown')}"
                for name in names if self.identity.get(name) != other.identity.get(name)]  # fmt: skip


def groups_of(seats: Sequence[Seat]) -> list[Group]:
    """Returns the groups of the evaluators that are open, the largest first."""
    found: dict[tuple[tuple[str, str], ...], list[Seat]] = {}
    for seat in seats:
        if seat.is_open:
            found.setdefault(tuple(sorted(seat.identity.items())), []).append(seat)
    return sorted((Group(each) for each in found.values()), key=lambda group: -len(group.seats))


def choose(groups: Sequence[Group], name: str) -> Group:
    """Returns the only group, or the one that is named by its number from 1 or by a part of its device's name.

    Raises MismatchError, which tells the groups apart, unless exactly one is meant.
    """
    if not name and len(groups) == 1:
        return groups[0]
    meant = [group for number, group in enumerate(groups, 1)
             if name and (name == str(number) or name.lower() in group.name.lower())]  # fmt: skip
    if len(meant) == 1:
        return meant[0]
    raise _not_one(groups, name)


def _not_one(groups: Sequence[Group], name: str) -> Error:
    listed = [f"{number} ({len(group.seats)} of {group.name})" for number, group in enumerate(groups, 1)]
    differ = "; ".join(groups[0].differences(groups[1])) if len(groups) > 1 else ""
    which = f"no single group is meant by `{name}`" if name else "the evaluators are of several groups"
    text = f"{which}: {', '.join(listed)}" + (f", which differ in {differ}" if differ else "")
    return exception("mismatch", text + " (name one by `group`)", {})


def off_the_median(times: Mapping[str, float], share: float) -> dict[str, float]:
    """Returns those whose time is off the median of the rest by more than a share, each with how far it is off.

    The farthest goes first, and the median is taken anew without it. With two that differ, the slower one goes.
    """
    left = dict(times)
    off: dict[str, float] = {}
    while len(left) > 1:
        distances = {name: time / median(other for each, other in left.items() if each != name) - 1.0
                     for name, time in left.items()}  # fmt: skip
        worst = max(distances, key=lambda name: (abs(distances[name]), distances[name]))
        if len(left) == 2:
            worst = max(left, key=lambda name: left[name])
        if abs(distances[worst]) <= share:
            break
        off[worst] = distances[worst]
        del left[worst]
    return off
