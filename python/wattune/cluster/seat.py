"""The driver's view of its evaluators (Seat) and of the configurations that are out (Ticket)."""

from __future__ import annotations

import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from .fleet import Handle


@dataclass(eq=False)
class Ticket:
    """A configuration that was handed out and whose result is not known yet."""

    number: int
    body: bytes
    contestants: int = 0
    """How many configurations a final has; 0 for an evaluation."""
    epoch: int = 0
    """Counts the tries; a new try has a higher epoch."""
    lost_on: list[str] = field(default_factory=list)
    """The nodes on which it cost an evaluator, once for each."""

    def id(self) -> bytes:
        """Returns the configuration's id, as the body names it."""
        return self.body.split()[1]


@dataclass(eq=False)
class Call:
    """A request that is with an evaluator."""

    kind: bytes
    ticket: Ticket
    epoch: int
    reply: Future[bytes]


class Seat:
    """An evaluator: its calls in the order in which it answers them, what it said of itself, and what it did."""

    def __init__(self, handle: Handle, name: str) -> None:
        self.handle = handle
        self.name = name
        self.node = ""
        self.identity: dict[str, str] = {}
        self.description = ""
        self.uuid = ""
        self.kind = ""
        self.deadline = 0.0
        self.holds_contests = False
        self.calls: deque[Call] = deque()
        self.planned: deque[Ticket] = deque()
        """Tickets that come next here, which its compilers know already."""
        self.is_open = False
        self.left_out = ""
        """Why the run goes on without it; empty while it takes part."""
        self.told = 0
        """Trials that it measured."""
        self.busy = 0.0
        """Seconds for which it worked on them."""
        self.lost = 0
        self.lost_in_a_row = 0
        self.is_checked = False
        """True if it may measure: it is open, and its probe agreed with its group's."""
        self.probed: float | None = None
        """Seconds of the probe."""
        self._oldest_since = 0.0

    def introduce(self, hello: dict[str, Any]) -> None:
        """Takes what the evaluator says of itself when it is open."""
        self.node = hello["node"]
        self.identity = hello["identity"]
        self.description = hello["description"]
        self.uuid = hello["device"]["uuid"]
        self.kind = hello["device"]["kind"]
        self.deadline = hello["deadline"]
        self.holds_contests = hello["holds_contests"]
        self.name = f"{self.node}/{hello['device']['selector']}"
        self.is_open = True

    def add(self, call: Call) -> None:
        """Notes a call that was submitted."""
        if not self.calls:
            self._oldest_since = time.monotonic()
        self.calls.append(call)

    def take(self, call: Call) -> bool:
        """Removes a call that ended; returns False if it had been given up already."""
        if call not in self.calls:
            return False
        self.calls.remove(call)
        self._oldest_since = time.monotonic()
        return True

    def waits(self) -> float:
        """Returns the seconds for which the oldest call has been the oldest, so that the evaluator worked on it."""
        return time.monotonic() - self._oldest_since if self.calls else 0.0

    def give_up(self) -> list[Call]:
        """Removes and returns all calls, the oldest first, because the evaluator is gone."""
        calls = list(self.calls)
        self.calls.clear()
        self.is_open = self.is_checked = False
        return calls
