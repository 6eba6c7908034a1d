"""Kernels of Triton that keep what they learned, in any process.

    @wattune.triton.autotune(configs=CONFIGS, key=["M", "N", "K"])
    @triton.jit
    def matmul(...): ...

docs/triton.md describes it all.
"""

from __future__ import annotations

from .autotuner import Autotuner, autotune
from .preparing import prepare
from .ranks import agree

__all__ = ["Autotuner", "agree", "autotune", "prepare"]
