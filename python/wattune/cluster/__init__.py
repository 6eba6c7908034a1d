"""Tuning on many GPUs and hosts: `wattune.cluster.tune()`, and the command `python -m wattune.cluster`.

    import wattune.cluster
    results = wattune.cluster.tune("gemm.toml", journal="gemm.journal.jsonl")  # all GPUs of this machine
    results = wattune.cluster.tune("gemm.toml", address="auto")  # a cluster of Ray

Importing the module loads no engine. docs/cluster.md describes it all.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .executors import ExecutorFleet
    from .fleet import EvaluatorLost, Fleet
    from .ray_fleet import RayFleet
    from .tuning import tune

__all__ = ["EvaluatorLost", "ExecutorFleet", "Fleet", "RayFleet", "tune"]

_HOMES = {"EvaluatorLost": "fleet", "ExecutorFleet": "executors", "Fleet": "fleet", "RayFleet": "ray_fleet",
          "tune": "tuning"}  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'wattune.cluster' has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module("." + _HOMES[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
