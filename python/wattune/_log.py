"""The library's log as messages of logging.getLogger("wattune")."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from . import _core

logger = logging.getLogger("wattune")


def listen() -> None:
    """Has the library keep lines from the level on that the logger lets through now."""
    _core.listen(logger.getEffectiveLevel())


def deliver(notes: Iterable[tuple[int, str]] = ()) -> None:
    """Hands the lines that the library kept, and notes on a run, to the logger."""
    for level, text in (*_core.take_log(), *notes):
        logger.log(level, "%s", text)
