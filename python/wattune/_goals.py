"""What a run measures, checks and searches for, divided into texts and functions."""

from __future__ import annotations

from ._errors import wrong
from ._functions import describe, name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from ._problem import Problem
    from ._types import Check, Configuration, Metric, Record

_BOARD = ("power", "energy", "dynamic_energy", "temperature", "voltage")


def _text_or_function(given: Metric, figures: dict[str, Callable[[Record], float]]) -> str:
    if isinstance(given, str):
        return given
    figures[name_of(given)] = given
    return name_of(given)


def _as_metrics(given: Metric | Sequence[str] | None) -> Sequence[Metric]:
    if given is None:
        return ()
    return (given,) if isinstance(given, str) or callable(given) else given


class Goals:
    """What a run measures and searches for, divided into texts and functions."""

    def __init__(self, metrics: Mapping[str, Metric] | None, minimize: Metric | Sequence[str] | None,
                 maximize: Metric | Sequence[str] | None, slowdown: float | None) -> None:  # fmt: skip
        self.figures: dict[str, Callable[[Record], float]] = {}
        self.objective = ""
        self.maximize = False
        self.texts: dict[str, Any] = {"metrics": {}, "slowdown": slowdown}
        for name, metric in (metrics or {}).items():
            if isinstance(metric, str):
                self.texts["metrics"][name] = metric
            else:
                self.figures[name] = metric
        objectives = []
        for given, greatest in ((minimize, False), (maximize, True)):
            objectives += [(_text_or_function(metric, self.figures), greatest) for metric in _as_metrics(given)]
        self._divide(objectives)
        self.observed = [name for name, _ in objectives if name in _BOARD]

    def _divide(self, objectives: list[tuple[str, bool]]) -> None:
        by_function = [each for each in objectives if each[0] in self.figures]
        if by_function and len(objectives) > 1:
            raise wrong("an objective by a function is the only one", by_function[0][0])
        if by_function:
            self.objective, self.maximize = by_function[0]
        elif objectives:
            self.texts["objectives"] = objectives

    def descriptions(self) -> dict[str, str]:
        """Returns the parts of the run's identity that the functions are."""
        return {f"metric {name}": describe(function) for name, function in self.figures.items()}


def checked_stop(target: float | None, goals: Goals) -> float | None:
    if target is None:
        return None
    objectives = goals.texts.get("objectives", [("time", False)])
    if goals.objective or objectives != [("time", False)]:
        raise wrong("`target` is a time, but the objective is another", goals.objective or objectives[0][0])
    return target * 1e9


def judge_from(check: Check | None, problem: Problem) -> tuple[Callable[..., object], str] | None:
    if check is None:
        return None

    def judge(raw: Sequence[bytes], configuration: Configuration) -> bool:
        answer: object = check(problem.output_arrays(raw), configuration)
        if answer is None:
            raise wrong("the check returned None", name_of(check), "it returns True or False")
        return bool(answer)

    return judge, describe(check)


def divide_observers(observers: Iterable[object]) -> tuple[list[object], list[object]]:
    """Divides observers into functions of each result and objects that measure (metrics, begin, end)."""
    functions: list[object] = []
    meters: list[object] = []
    for each in observers:
        if hasattr(each, "begin") and hasattr(each, "end") and hasattr(each, "metrics"):
            meters.append(each)
        elif callable(each):
            functions.append(each)
        else:
            raise wrong("an observer is a function, or has the methods metrics, begin and end", repr(each))
    return functions, meters
