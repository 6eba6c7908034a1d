"""Wattune tunes kernels for GPUs and processors.

    import wattune
    results = wattune.tune(source, "vector_add", [a, b, c, n], {"BLOCK": [64, 128, 256]}, outputs=["c"],
                           block="BLOCK", grid="-(-n // BLOCK)")
    results.best            # the fastest configuration, with its time in seconds
    results(x, y, z, n)     # runs it on the caller's arrays

Importing the package loads nothing but its names: no NumPy, no driver, no compiler. docs/python.md describes it all.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._calls.callables import autotune
    from ._core import Failed, __version__
    from ._errors import (
        AlreadyExistsError,
        BusyError,
        CancelledError,
        CompileFailedError,
        DeviceLostError,
        Error,
        InternalError,
        InvalidArgumentError,
        IoError,
        LaunchFailedError,
        MismatchError,
        NotFoundError,
        OutOfRangeError,
        ParseError,
        TimeoutError,
        UnavailableError,
    )
    from ._problem import Local
    from ._results import Results, read
    from ._search import Search, strategies
    from ._space import Space
    from ._table import Table
    from ._tune import advise, devices, run, tune

__all__ = [
    "AlreadyExistsError",
    "BusyError",
    "CancelledError",
    "CompileFailedError",
    "DeviceLostError",
    "Error",
    "Failed",
    "InternalError",
    "InvalidArgumentError",
    "IoError",
    "LaunchFailedError",
    "Local",
    "MismatchError",
    "NotFoundError",
    "OutOfRangeError",
    "ParseError",
    "Results",
    "Search",
    "Space",
    "Table",
    "TimeoutError",
    "UnavailableError",
    "__version__",
    "advise",
    "autotune",
    "devices",
    "read",
    "run",
    "strategies",
    "tune",
]

_HOMES = {
    "Failed": "_core",
    "__version__": "_core",
    "Local": "_problem",
    "Results": "_results",
    "Search": "_search",
    "Space": "_space",
    "Table": "_table",
    "advise": "_tune",
    "autotune": "_calls.callables",
    "devices": "_tune",
    "read": "_results",
    "run": "_tune",
    "strategies": "_search",
    "tune": "_tune",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'wattune' has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module("." + _HOMES.get(name, "_errors"), __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
