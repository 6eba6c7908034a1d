"""Fleet: the four calls through which a driver reaches its evaluators, whatever engine runs them.

An evaluator is a process with one device. It answers one request after another, in the order in which they came. A
fleet carries bytes and knows nothing about tuning: `worker.answer()` is what it runs. Retrying is the driver's, never
the engine's.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from concurrent.futures import Future
from typing import Protocol

Handle = Hashable
"""An evaluator, as its fleet names it."""


class EvaluatorLost(Exception):
    """The process of an evaluator is gone. The call that raises it may have been executed or not."""


class Fleet(Protocol):
    """Evaluators that an engine runs. One thread at a time makes the calls."""

    def evaluators(self) -> Sequence[tuple[Handle, str]]:
        """Returns every evaluator with a name for messages. The list stays the same while the fleet lives."""
        ...

    def submit(self, handle: Handle, request: bytes) -> Future[bytes]:
        """Sends a request and returns its reply's future, which raises EvaluatorLost if the evaluator is gone."""
        ...

    def replace(self, handle: Handle) -> None:
        """Ends the process of an evaluator, whatever it does. Its calls are lost; the next one gets another."""

    def close(self) -> None:
        """Ends all evaluators at once."""
