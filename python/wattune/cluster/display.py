"""What a run shows on standard error: a line for each evaluator, and one for the whole."""

from __future__ import annotations

import logging
import shutil
import sys
import time
from collections.abc import Sequence
from typing import Any, Protocol, TextIO

from .._table import time_text
from .seat import Seat

_LOGGER = logging.getLogger("wattune")

_SECONDS_BETWEEN_LINES = 10.0  # where the terminal cannot be redrawn
_SECONDS_BETWEEN_DRAWINGS = 0.25


class Display(Protocol):
    """A place where a run is shown."""

    def note(self, text: str) -> None:
        """Takes a sentence on an evaluator."""

    def show(self, seats: Sequence[Seat], progress: dict[str, Any]) -> None:
        """Takes the state of the run, several times a second."""

    def close(self) -> None:
        """Takes the end of the run."""


class Silence:
    """Shows no progress; notes go to the logger."""

    def note(self, text: str) -> None:
        """Logs a note."""
        _LOGGER.warning("%s", text)

    def show(self, seats: Sequence[Seat], progress: dict[str, Any]) -> None:
        """Drops the state of a run."""

    def close(self) -> None:
        """Does nothing."""


class Latest:
    """Keeps the lines of a run for whoever asks, from any thread."""

    def __init__(self) -> None:
        self.lines: list[str] = ["opens the problem on its evaluators"]
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        """Keeps a note."""
        self.notes.append(text)

    def show(self, seats: Sequence[Seat], progress: dict[str, Any]) -> None:
        """Keeps the state of a run."""
        self.lines = lines_of(seats, progress)

    def close(self) -> None:
        """Keeps the last lines."""


class Lines:
    """Shows a run on a stream. A terminal is redrawn; any other stream gets a line now and then."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._redraws = self._stream.isatty()
        self._drawn = 0
        self._last = 0.0
        self._latest: list[str] = []

    def note(self, text: str) -> None:
        """Prints a note above the lines."""
        self._erase()
        print(f"wattune: {text}", file=self._stream)
        self._draw()

    def show(self, seats: Sequence[Seat], progress: dict[str, Any]) -> None:
        """Shows the state of a run, unless it did a moment ago."""
        pause = _SECONDS_BETWEEN_DRAWINGS if self._redraws else _SECONDS_BETWEEN_LINES
        if time.monotonic() - self._last < pause:
            return
        self._last = time.monotonic()
        self._latest = lines_of(seats, progress)
        self._erase()
        self._draw()

    def close(self) -> None:
        """Leaves the last lines where they are."""
        self._drawn = 0
        self._stream.flush()

    def _erase(self) -> None:
        if self._redraws and self._drawn:
            self._stream.write(f"\x1b[{self._drawn}A\x1b[J")
            self._drawn = 0

    def _draw(self) -> None:
        if not self._redraws:
            lines, self._latest = self._latest[-1:], []
        else:
            lines = self._latest
            self._drawn = len(lines)
        width = shutil.get_terminal_size().columns
        self._stream.writelines(line[: width - 1] + "\n" for line in lines)
        self._stream.flush()


def lines_of(seats: Sequence[Seat], progress: dict[str, Any]) -> list[str]:
    """Returns a line for each evaluator, and one for the run."""
    return [*(line_of(seat, progress["elapsed"]) for seat in seats), line_of_run(progress)]


def line_of(seat: Seat, elapsed: float) -> str:
    """Returns the line of an evaluator: what it did, and what it does now."""
    if seat.left_out:
        return f"{seat.name}: left out, {seat.left_out}"
    if not seat.is_open:
        return f"{seat.name}: opens the problem"
    busy = seat.busy / elapsed if elapsed > 0 else 0.0
    lost = f", lost {seat.lost} times" if seat.lost else ""
    return f"{seat.name}: {seat.told} Trials, busy {busy:.0%}{lost}"


def line_of_run(progress: dict[str, Any]) -> str:
    """Returns the line of the whole run."""
    most = f" of {progress['most']}" if progress["most"] else ""
    best = f", best {time_text(progress['best'])}" if progress["best"] is not None else ""
    limit = f" of {progress['seconds']:g} s" if progress["seconds"] else " s"
    return f"{progress['evaluations']}{most} configurations in {progress['elapsed']:.0f}{limit}{best}"
