"""The library's log as messages of logging.getLogger("wattune")."""

from __future__ import annotations

import sys

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_WARNING = 30  # the level of a logger that nobody configured


def listen() -> None:
    """Has the library keep lines from the level on that the logger lets through now."""
    logging: Any = sys.modules.get("logging")
    _core.listen(_WARNING if logging is None else logging.getLogger("wattune").getEffectiveLevel())


def deliver(notes: Iterable[tuple[int, str]] = ()) -> None:
    """Hands the lines that the library kept, and notes on a run, to the logger."""
    lines = [*_core.take_log(), *notes]
    if lines:
        import logging

        logger = logging.getLogger("wattune")
        for level, text in lines:
            logger.log(level, "%s", text)
