"""The classes from which observers are derived."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any


class BenchmarkObserver(ABC):
    """An observer: get_results() adds figures to each correct result.

    Kernels run in another process, many times between two looks of this one. So an observer that overrides a hook of
    each iteration (before_start, after_start, during, after_finish) is refused by name.
    """

    dev: Any = None

    def register_device(self, dev: Any) -> None:
        """Takes the device: `name` and, after a measurement, `num_regs`."""
        self.dev = dev

    def register_configuration(self, params: Mapping[str, Any]) -> None:  # noqa: B027 - may be overridden
        """Takes the configuration whose results come next."""

    def before_start(self) -> None:  # noqa: B027 - may be overridden
        """Is never called (see the class)."""

    def after_start(self) -> None:  # noqa: B027 - may be overridden
        """Is never called (see the class)."""

    def during(self) -> None:  # noqa: B027 - may be overridden
        """Is never called (see the class)."""

    def after_finish(self) -> None:  # noqa: B027 - may be overridden
        """Is never called (see the class)."""

    @abstractmethod
    def get_results(self) -> dict[str, Any]:
        """Returns figures of the configuration that was measured."""


class IterationObserver(BenchmarkObserver):
    """An observer of each iteration."""


class ContinuousObserver(BenchmarkObserver):
    """An observer of many runs in a row."""


class PrologueObserver(BenchmarkObserver):
    """An observer of a run of its own."""


class OutputObserver(BenchmarkObserver):
    """An observer of outputs. If there is one, outputs count as correct unless `verify` says otherwise."""

    @abstractmethod
    def process_output(self, answers: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Takes expected and actual outputs, one for each argument, None for those that are not compared."""


HOOKS = ("before_start", "after_start", "during", "after_finish")
"""The hooks of each iteration, which are never called."""


def overridden_hooks(observer: BenchmarkObserver) -> list[str]:
    """Returns the hooks of each iteration that the class of an observer overrides."""
    return [name for name in HOOKS if getattr(type(observer), name) is not getattr(BenchmarkObserver, name)]
