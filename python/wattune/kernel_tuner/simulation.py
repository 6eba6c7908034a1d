"""Simulation mode: results of a cache in the place of a device."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from .._core import Failed
from .._errors import wrong
from .._search import Search
from .._space import Space
from .caches import Header, by_key, check_header, file_of, read_cache
from .limits import limits
from .metrics import Entry, Objectives, with_metrics
from .results import Console, add_totals
from .strategies import Plan

_TIMES = ("compile_time", "verification_time", "benchmark_time")
_SPARE = 1e-9  # of the range of an objective, below its best value


class _Recorded:
    """The results of a cache, which cost the time that they took."""

    def __init__(self, entries: Mapping[str, Entry], names: Sequence[str], metrics: Any, seconds: float | None) -> None:
        self._entries = entries
        self._names = names
        self._metrics = metrics
        self._seconds = seconds
        self.spent = 0.0  # ms

    def has_time(self) -> bool:
        """Tells whether the limit of time is not reached yet."""
        return self._seconds is None or self.spent < self._seconds * 1e3

    def entry(self, params: Mapping[str, Any]) -> Entry:
        """Returns the entry of a configuration. Raises InvalidArgumentError if the cache lacks it."""
        found = self._entries.get(",".join(str(params[name]) for name in self._names))
        if found is None:
            values = ", ".join(f"{name}={params[name]}" for name in self._names)
            raise wrong(
                "the cache lacks a configuration of the space", values, "restrict the space to what was recorded"
            )
        if self._seconds is not None and any(name not in found for name in _TIMES):
            raise wrong("the cache does not tell how long configurations took, so that `time_limit` means nothing")
        self.spent += sum(found.get(name, 0.0) for name in _TIMES)
        entry = {**found, "strategy_time": 0.0, "framework_time": 0.0}
        return entry if "__error__" in entry else with_metrics(entry, self._metrics)


def _cost(entry: Entry, objectives: Objectives, scale: tuple[float, float]) -> float:
    """Returns a positive number that is the smaller, the better the entry: its distance from the best recorded."""
    ((name, is_high),) = list(objectives.directions.items())[:1]
    least, most = scale
    value = float(entry[name])
    width = most - least or 1.0
    return ((most - value) if is_high else (value - least)) / width + _SPARE


def _scale(entries: Mapping[str, Entry], objectives: Objectives, metrics: Any) -> tuple[float, float]:
    name = objectives.names[0]
    values = []
    for entry in entries.values():
        if "__error__" not in entry:
            complete = with_metrics(dict(entry), metrics)
            if name not in complete:
                raise wrong(f"the cache has no `{name}`, which is the objective")
            values.append(float(complete[name]))
    return (min(values), max(values)) if values else (0.0, 1.0)


def _whole(space: Space, recorded: _Recorded, parameters: Mapping[str, Sequence[Any]], console: Console) -> list[Entry]:
    order = {name: {str(value): rank for rank, value in enumerate(values)} for name, values in parameters.items()}
    configurations = sorted(space, key=lambda params: [order[name][str(params[name])] for name in order])
    found = []
    for params in configurations:
        found.append(recorded.entry(params))
        console.entry(found[-1])
    return found


def _searched(space: Space, recorded: _Recorded, plan: Plan, seed: int, objectives: Objectives,
              scale: tuple[float, float], console: Console) -> list[Entry]:  # fmt: skip
    several = len(objectives.directions) > 1
    search = Search(
        space,
        strategy="random" if several else plan.strategy,
        strategy_options=None if several else plan.options,
        evaluations=plan.evaluations or (None if plan.fraction else len(space)),
        fraction=plan.fraction,
        seed=seed,
    )
    found = []
    spent = 0.0
    asked = time.perf_counter()
    for params in search:
        spent += time.perf_counter() - asked
        if not recorded.has_time():
            break
        entry = recorded.entry(params)
        found.append(entry)
        console.entry(entry)
        asked = time.perf_counter()
        search.tell(
            params, Failed(str(entry["__error__"])) if "__error__" in entry else _cost(entry, objectives, scale)
        )
    for entry in found:
        entry["strategy_time"] = spent * 1e3 / len(found)
    return found


def simulate(
    cache: Any,
    header: Header,
    constraints: Sequence[Any],
    metrics: Any,
    objectives: Objectives,
    plan: Plan,
    seed: int,
    default: Mapping[str, Any],
    console: Console,
) -> tuple[list[Entry], dict[str, Any]]:
    """Returns results and environment of a search in a cache, without a device.

    Raises InvalidArgumentError without a cache, or if the search asks for a configuration that it lacks.
    """
    start = time.perf_counter()
    if not cache or not os.path.isfile(file_of(cache)):
        raise wrong("simulation_mode needs a cache file that exists", file_of(cache) if cache else None)
    file = file_of(cache)
    found = read_cache(file)
    check_header(file, found, header, is_simulated=True)
    console.device(str(found["device_name"]), "Simulating")
    entries = by_key(found)
    space = Space(header.tune_params, constraints, default=default)
    most = limits()
    if most.evaluations is not None:
        enough = len(space) <= most.evaluations
        if plan.strategy != "exhaustive" or not enough:
            plan = plan._replace(evaluations=min(plan.evaluations or most.evaluations, most.evaluations))
            plan = plan._replace(strategy="auto" if plan.strategy == "exhaustive" else plan.strategy)
    recorded = _Recorded(entries, list(header.tune_params), metrics, plan.seconds)
    if plan.strategy == "exhaustive":
        results = _whole(space, recorded, header.tune_params, console)
    else:
        scale = _scale(entries, objectives, metrics)
        results = _searched(space, recorded, plan, seed, objectives, scale, console)
    env: dict[str, Any] = {"device_name": found["device_name"], "simulation": True, "simulated_time": recorded.spent}
    if results:
        for entry in results:
            if "__error__" not in entry:
                objectives.check(entry)
        env["best_config"] = objectives.best(results)
        console.best(env["best_config"])
    else:
        console.nothing()
    searching = sum(entry["strategy_time"] for entry in results)
    for entry in results:
        entry["framework_time"] = max((time.perf_counter() - start) * 1e3 - searching, 0.0) / len(results)
    add_totals(env, results, time.perf_counter() - start)
    return results, env


__all__ = ["simulate"]
