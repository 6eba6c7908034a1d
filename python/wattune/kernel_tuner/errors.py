"""The markers of failed configurations, as Kernel Tuner's results and caches have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import Error


class BudgetError(Error, RuntimeError):
    """A limit of time that is over before the first configuration."""

    code = "timeout"


class ErrorConfig(str):
    """A failed configuration: the value of `__error__` in its result. The text is the name of its class."""

    __slots__ = ()

    def __new__(cls, *_: object) -> ErrorConfig:
        return super().__new__(cls, cls.__name__)

    def __repr__(self) -> str:
        return type(self).__name__


class InvalidConfig(ErrorConfig):
    """A configuration that the device or a restriction does not allow."""

    __slots__ = ()


class CompilationFailedConfig(ErrorConfig):
    """A configuration that does not compile."""

    __slots__ = ()


class RuntimeFailedConfig(ErrorConfig):
    """A configuration that failed when it ran: a launch error, a crash, a time limit or wrong outputs."""

    __slots__ = ()


BY_NAME: dict[str, type[ErrorConfig]] = {
    each.__name__: each for each in (ErrorConfig, InvalidConfig, CompilationFailedConfig, RuntimeFailedConfig)
}
"""The markers by their names in files."""

_BY_STATUS: dict[str, type[ErrorConfig]] = {"constraints": InvalidConfig, "compile": CompilationFailedConfig}


def of_status(status: str) -> ErrorConfig:
    """Returns the marker for a status of Wattune's that is not `correct`."""
    return _BY_STATUS.get(status, RuntimeFailedConfig)()


def marked(entry: Mapping[str, Any]) -> ErrorConfig | None:
    """Returns the marker of an entry of a cache file of any age; None for a correct one.

    Older files have the name of the failure in the place of the time or of the objective, still older ones a time of
    1e20.
    """
    for value in entry.values():
        if isinstance(value, str) and value in BY_NAME:
            return BY_NAME[value]()
    time = entry.get("time")
    if isinstance(time, (int, float)) and not 0 <= time < 1e20:
        return RuntimeFailedConfig()
    return None
