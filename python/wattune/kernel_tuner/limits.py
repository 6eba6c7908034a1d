"""Limits that `python -m wattune.kernel_tuner` sets for every tune_kernel() of a script."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """Limits of a search: evaluations, seconds, and the seed for scripts that set none."""

    evaluations: int | None = None
    seconds: float | None = None


_limits = Limits()


def set_limits(limits: Limits) -> None:
    """Sets the limits of this process."""
    global _limits
    _limits = limits


def limits() -> Limits:
    """Returns the limits of this process."""
    return _limits
