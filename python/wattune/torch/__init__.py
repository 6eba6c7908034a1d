"""Kernels of specs on tensors, in PyTorch's current stream, that tune themselves while a program runs.

    tuner = wattune.torch.Tuner(wisdom="train.wisdom")
    gelu = tuner.kernel("gelu.toml")
    for x in loader:
        gelu(x, y, x.numel())

docs/triton.md describes it all.
"""

from __future__ import annotations

from .tuner import Kernel, Tuner

__all__ = ["Kernel", "Tuner"]
