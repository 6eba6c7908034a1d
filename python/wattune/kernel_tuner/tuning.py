"""A run of tune_kernel(): one wattune.tune() for each choice of tunable arguments, and what is known from a cache."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .._errors import Error
from .._results import Results
from .._space import Space
from .._tune import tune
from .._types import Record
from .accuracy import Tunable
from .caches import CacheFile, without_times
from .checking import Check, checked_answer
from .devices import Device
from .limits import limits
from .metrics import Entry, Objectives, with_metrics
from .observing import Observation
from .problem import RUN_SECONDS, KernelOptions, KernelProblem
from .refusals import refused
from .results import Collector, Console, NothingCorrectError, raise_if_nothing_is_correct
from .strategies import Plan

_NATIVE = {"time": "time", "nvml_energy": "energy", "nvml_power": "power", "temperature": "temperature"}


class Task(NamedTuple):
    """What tune_kernel() was asked for, checked."""

    options: KernelOptions
    parameters: dict[str, list[Any]]
    constraints: list[Any]
    answer: Any
    atol: float
    verify: Callable[..., Any] | None
    metrics: Mapping[str, Any] | None
    objectives: Objectives
    observation: Observation
    plan: Plan
    iterations: int
    seed: int
    default: dict[str, Any]
    device: Device
    cache: CacheFile | None
    console: Console


def _choices(task: Task) -> list[dict[str, list[Any]]]:
    """Returns the parts of the space in which each tunable argument is one array."""
    tunables = [each for each in task.options.arguments if isinstance(each, Tunable)]
    if isinstance(task.answer, Tunable):
        tunables.append(task.answer)
    names = list(dict.fromkeys(each.param_key for each in tunables))
    for name in names:
        if not isinstance(name, str) or name not in task.parameters:
            raise refused(
                "Tunable whose key is an expression or a function", "name a parameter, with a value for each array"
            )
    parts: list[dict[str, list[Any]]] = []
    for values in itertools.product(*(task.parameters[name] for name in names)):
        parts.append({**task.parameters, **{name: [value] for name, value in zip(names, values)}})
    return parts


def _first(parameters: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    return {name: values[0] for name, values in parameters.items()}


def _is_empty(error: Error) -> bool:
    return error.code == "invalid_argument" and error.message.startswith("no configuration meets")


def _count(parameters: Mapping[str, Sequence[Any]], constraints: Sequence[Any]) -> int:
    try:
        return len(Space(parameters, constraints))
    except Error as error:
        if _is_empty(error):
            return 0
        raise


class Run:
    """The run of a task."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._known = dict(task.cache.known) if task.cache is not None else {}
        self._winners: list[str] = []
        self.collector = Collector(
            list(task.parameters),
            task.metrics,
            task.observation.counters,
            task.observation.figures,
            self._ask,
            self._keep,
        )

    def results(self) -> list[Entry]:
        """Runs, and returns the entries: in the order of the space if all of it ran, else as they came."""
        task = self._task
        found: dict[str, Entry] = self._from_cache()
        parts = _choices(task)
        for number, parameters in enumerate(parts):
            self._part(parameters, task.constraints, number, len(parts), found)
        found.update(self.collector.entries)
        results = list(found.values())
        if task.plan.strategy in ("", "exhaustive"):
            order = {name: list(map(str, values)) for name, values in task.parameters.items()}
            results.sort(key=lambda entry: [values.index(str(entry[name])) for name, values in order.items()])
        return results

    def best(self, results: Sequence[Entry]) -> Any:
        """Returns the winner of the final if time decides, else the best entry."""
        task = self._task
        found = task.objectives.best(results)
        if task.objectives.is_time and self._winners:
            candidates = [self.collector.entries[key] for key in self._winners]
            cached = [entry for key, entry in self._known.items() if key not in self.collector.entries]
            return task.objectives.best([*candidates, *cached]) if cached or len(candidates) > 1 else candidates[0]
        return found

    def _ask(self, record: Record) -> dict[str, Any]:
        params = {name: record[name] for name in self._task.parameters}
        return self._task.observation.ask(self.collector.key(params), params, record)

    def _keep(self, key: str, entry: Entry) -> None:
        self._task.console.entry(entry)
        if self._task.cache is not None:
            self._task.cache.add(key, entry)

    def _from_cache(self) -> dict[str, Entry]:
        """Returns the entries of the cache that lie in the space; the others are not asked for."""
        if not self._known:
            return {}
        task = self._task
        space = Space(task.parameters, task.constraints)
        found = {}
        for key, entry in self._known.items():
            params = {name: entry[name] for name in task.parameters}
            try:
                inside = not space.violations(params)
            except (ValueError, LookupError):
                inside = False
            if inside:
                free = {"strategy_time": 0.0, "framework_time": 0.0, **without_times(entry)}
                found[key] = free if "__error__" in free else with_metrics(free, task.metrics)
        return found

    def _part(self, parameters: dict[str, list[Any]], constraints: list[Any], number: int, of: int,
              cached: Mapping[str, Entry]) -> None:  # fmt: skip
        """Tunes one part of the space."""
        task = self._task
        plan = _limited(task.plan, parameters, constraints)
        evaluations = _share(plan.evaluations, number, of)
        if cached:
            known = set(cached)
            key = self.collector.key
            constraints = [*constraints, lambda wattune_configuration: key(wattune_configuration) not in known]
            if evaluations is not None:
                inside = [
                    each for each in cached.values() if all(each[name] in parameters[name] for name in parameters)
                ]
                evaluations = max(0, evaluations - len(inside))
        if evaluations == 0:
            return
        first = {**_first(parameters), **task.default}
        arguments = [each.select_for_configuration(first) if isinstance(each, Tunable) else each
                     for each in task.options.arguments]  # fmt: skip
        options = task.options._replace(arguments=arguments)
        by_function = task.verify is not None or bool(task.observation.of_outputs)
        answer = checked_answer(task.answer, arguments, first, by_function=by_function)
        check = Check(answer, arguments, task.atol, task.verify, task.observation)
        default = {name: value for name, value in task.default.items() if value in parameters[name]}
        problem = KernelProblem(options, parameters, first, answer, constraints, default)
        try:
            check.describe(problem)
            self._search(problem, plan._replace(evaluations=evaluations), check, answer, of)
        except Error as error:
            if not _is_empty(error):
                raise
        finally:
            problem.close()

    def _search(self, problem: KernelProblem, plan: Plan, check: Check, answer: Any, of: int) -> None:
        task = self._task
        goals = self._goals(problem, plan)
        compares = answer is not None and not check.by_function
        seconds = None if plan.seconds is None else plan.seconds / of
        results: Results = tune(
            problem, device=task.device.selector, strategy=plan.strategy, strategy_options=plan.options,
            evaluations=plan.evaluations, seconds=seconds, fraction=plan.fraction, seed=task.seed,
            min_samples=task.iterations, max_samples=task.iterations, observers=[self._see, *task.observation.meters()],
            observe=task.observation.sensors, counters=task.observation.counters,
            check=check.function(problem, self.collector.key) if check.by_function else None,
            check_outputs="every" if compares or check.by_function else "never", run_seconds=RUN_SECONDS,
            progress=False, **goals,
        )  # fmt: skip
        if results.best is not None:
            self._winners.append(self.collector.key(results.best))

    def _see(self, record: Record) -> None:
        entry = self.collector.take(record)
        if "__error__" not in entry:
            self._task.objectives.check(entry)

    def _goals(self, problem: KernelProblem, plan: Plan) -> dict[str, Any]:
        """Returns how wattune.tune() is told the objective: by name, or as a function of the record."""
        directions = self._task.objectives.directions
        if self._task.objectives.is_time:
            return {}
        if len(directions) > 1:
            native = {**_NATIVE, **{name: name for name in self._task.observation.counters}}
            if all(name in native for name in directions):
                problem.description["objectives"] = [(native[name], high) for name, high in directions.items()]
            elif plan.strategy != "exhaustive":
                instead = "strategy=None runs the whole space, or make one metric of them"
                raise refused("search by several objectives of which one is a metric", instead)
            return {}
        ((name, is_high),) = directions.items()

        def kernel_tuner_objective(record: Record) -> float:
            entry = self.collector.take(record)
            self._task.objectives.check(entry)
            return float(entry[name])

        return {"maximize" if is_high else "minimize": kernel_tuner_objective}


def _share(evaluations: int | None, number: int, of: int) -> int | None:
    if evaluations is None:
        return None
    return evaluations // of + (1 if number < evaluations % of else 0)


def _limited(plan: Plan, parameters: Mapping[str, Sequence[Any]], constraints: Sequence[Any]) -> Plan:
    """Returns the plan within the limits of the process. A whole space that is too large is searched instead."""
    most = limits()
    if most.evaluations is None and most.seconds is None:
        return plan
    evaluations = _least(plan.evaluations, most.evaluations)
    seconds = _least(plan.seconds, most.seconds)
    if plan.strategy == "exhaustive":
        fits = most.evaluations is not None and _count(parameters, constraints) <= most.evaluations
        return (
            plan
            if fits and most.seconds is None
            else plan._replace(strategy="", evaluations=evaluations, seconds=seconds)
        )
    return plan._replace(evaluations=evaluations, seconds=seconds)


def _least(one: Any, other: Any) -> Any:
    return min((each for each in (one, other) if each is not None), default=None)


def run(task: Task) -> tuple[list[Entry], dict[str, Any]]:
    """Runs a task and returns results and the environment with the best configuration."""
    from .results import add_totals, share_overhead

    start = time.perf_counter()
    running = Run(task)
    try:
        results = running.results()
    except Error:
        task.device.require()
        raise
    finally:
        if task.cache is not None:
            task.cache.close()
    env = dict(task.device.environment)
    if results:
        try:
            raise_if_nothing_is_correct(results)
        except NothingCorrectError as error:
            error.results = results
            raise
        best = running.best(results)
        env["best_config"] = best
        task.console.best(best)
    else:
        task.console.nothing()
    seconds = time.perf_counter() - start
    share_overhead(list(running.collector.entries.values()), seconds)
    add_totals(env, results, seconds)
    return results, env
