"""The progress of a run: one line on a terminal, or one output of a notebook."""

from __future__ import annotations

import sys
from typing import Any, Protocol

from ._table import time_text


class Display(Protocol):
    """A place where progress is shown."""

    def show(self, progress: dict[str, Any]) -> None: ...
    def close(self) -> None: ...


def _text(progress: dict[str, Any]) -> str:
    text = f"wattune: {progress['phase']}"
    if progress["evaluations"]:
        most = progress["most"]
        text += f", {progress['evaluations']}{f' of {most}' if most else ''} configurations"
    if progress["seconds"]:
        text += f", {progress['elapsed']:.0f} of {progress['seconds']:.0f} s"
    if progress["best"] is not None:
        text += f", best {time_text(progress['best'])}"
    return text


class _Silent:
    def show(self, progress: dict[str, Any]) -> None:
        pass

    def close(self) -> None:
        pass


class _Line:
    """A line of standard error that is overwritten."""

    def show(self, progress: dict[str, Any]) -> None:
        sys.stderr.write("\r\x1b[K" + _text(progress))
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


class _Output:
    """An output of a notebook's cell that is replaced."""

    def __init__(self, display: Any) -> None:
        self._handle = display({"text/plain": "wattune"}, raw=True, display_id=True)

    def show(self, progress: dict[str, Any]) -> None:
        self._handle.update({"text/plain": _text(progress)}, raw=True)

    def close(self) -> None:
        self._handle.update({"text/plain": ""}, raw=True)


def display(wanted: bool | None) -> Display:
    """Returns where to show progress: by default in a notebook, or on standard error if that is a terminal."""
    if wanted is False:
        return _Silent()
    kernel = sys.modules.get("IPython")
    shell = kernel.get_ipython() if kernel is not None else None
    if shell is not None and hasattr(shell, "kernel"):
        from IPython.display import display as show

        return _Output(show)
    if wanted or sys.stderr.isatty():
        return _Line()
    return _Silent()
