"""Metrics, objectives and their directions."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from .._errors import wrong
from .geometry import evaluated

Entry = dict[str, Any]
"""A result as Kernel Tuner has it: the parameters, `time` and `times` (ms), figures, metrics, or `__error__`."""

HIGHER_IS_BETTER = {
    "time": False, "energy": False, "fitness": True, "cost": False, "loss": False, "GFLOP/s": True, "TFLOP/s": True,
    "GB/s": True, "TB/s": True, "GFLOPS/W": True, "TFLOPS/W": True, "GFLOP/J": True, "TFLOP/J": True,
}  # fmt: skip
"""The directions of objectives that are known by name."""


def check_metrics(metrics: Any) -> None:
    """Raises InvalidArgumentError unless metrics are a dict of texts and functions."""
    if metrics is None:
        return
    if not isinstance(metrics, dict):
        raise wrong("metrics are a dict, whose order they are computed in", type(metrics).__name__)
    for name, metric in metrics.items():
        if not isinstance(metric, str) and not callable(metric):
            raise wrong(f"the metric `{name}` is neither a text nor a function", repr(metric))


def with_metrics(entry: Entry, metrics: Mapping[str, Any] | None) -> Entry:
    """Adds the metrics to an entry, each of which may read those before it, and returns it."""
    for name, metric in (metrics or {}).items():
        entry[name] = evaluated(metric, entry) if isinstance(metric, str) else metric(entry)
    return entry


class Objectives:
    """The names of the objectives, and whether higher values are better."""

    def __init__(self, objective: Any, higher_is_better: Any, objectives: Any) -> None:
        if objectives is not None and objectives != {}:
            if not isinstance(objectives, dict):
                raise wrong("objectives are a dict from names to higher_is_better", repr(objectives))
            self.directions: dict[str, bool] = dict(objectives)
            return
        names = list(objective) if isinstance(objective, (list, tuple)) else [objective or "time"]
        given = higher_is_better
        wanted = list(given) if isinstance(given, (list, tuple)) else [given] * len(names)
        if len(wanted) != len(names):
            raise wrong("objective and objective_higher_is_better have different lengths", f"{names}, {wanted}")
        self.directions = {name: self._direction(name, each) for name, each in zip(names, wanted)}

    @staticmethod
    def _direction(name: str, given: bool | None) -> bool:
        if given is not None:
            return bool(given)
        if name not in HIGHER_IS_BETTER:
            raise wrong(f"whether `{name}` is to be high is not known", hint="pass objective_higher_is_better")
        return HIGHER_IS_BETTER[name]

    @property
    def names(self) -> list[str]:
        """The names of the objectives."""
        return list(self.directions)

    @property
    def is_time(self) -> bool:
        """True if the least time is the only objective."""
        return self.directions == {"time": False}

    def check(self, entry: Entry) -> None:
        """Raises InvalidArgumentError if a correct entry lacks an objective."""
        for name in self.directions:
            if name not in entry:
                known = ", ".join(key for key, value in entry.items() if isinstance(value, (int, float)))
                raise wrong(f"results have no `{name}`, which is the objective", hint=f"there are {known}")

    def best(self, results: Sequence[Entry]) -> Any:
        """Returns the best entry; with several objectives the list of those that none beats, marked `optimal`."""
        if len(self.directions) > 1:
            return self._front(results)
        ((name, is_high),) = self.directions.items()
        worst = -sys.float_info.max if is_high else sys.float_info.max
        key = lambda entry: worst if "__error__" in entry else entry.get(name, worst)  # noqa: E731
        return max(results, key=key) if is_high else min(results, key=key)

    def _front(self, results: Sequence[Entry]) -> list[Entry]:
        correct = [entry for entry in results if "__error__" not in entry]
        costs = [
            tuple(-entry[name] if is_high else entry[name] for name, is_high in self.directions.items())
            for entry in correct
        ]
        front = []
        for entry, cost in zip(correct, costs):
            beaten = any(other != cost and all(a <= b for a, b in zip(other, cost)) for other in costs)
            if not beaten:
                entry["optimal"] = True
                front.append(entry)
        return front
