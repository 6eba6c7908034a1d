"""Kernels of Triton for tests, and what they compute, in NumPy, on the GPU of fake_gpu.py.

The configuration BLOCK=512 of `scale` traps, 256 never ends, 128 writes behind its array, and 64 is wrong, if FAULTS
says so.
"""

from __future__ import annotations

import os
import time
from typing import Any

import fake_gpu
import triton
import triton.language as tl

OFFSET = tl.constexpr(0)


@triton.jit
def twice(x):
    return x + x


@triton.jit
def scale(x, y, factor, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK) + OFFSET
    tl.store(y + at, twice(tl.load(x + at, at < n)) * factor, at < n)


@triton.jit
def add_to(x, y, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    if EVEN:
        mask = at >= 0
    tl.store(y + at, tl.load(y + at, mask) + tl.load(x + at, mask), mask)


def _faulty(block: int) -> bool:
    return str(block) in os.environ.get("FAULTS", "").split(",")


def _scale(grid: tuple[int, int, int], arguments: dict[str, Any], metadata: Any) -> float:
    block, n = arguments["BLOCK"], arguments["n"]
    count = min(n, grid[0] * block)
    if block == 512 and _faulty(block):
        fake_gpu.break_context()
        return 1e-5
    if block == 256 and _faulty(block):
        time.sleep(1000)
    x, y = (fake_gpu.memory_at(arguments[name], 0, count) for name in "xy")
    y[:] = 2 * x * arguments["factor"]
    if block == 128 and _faulty(block):
        fake_gpu.memory_at(arguments["y"], count, 4)[:] = 7
    if block == 64 and _faulty(block):
        y[0] += 1
    return 1e-6 * (10 + abs(block - 1024) / 128 + metadata.num_warps + 1e-3 * (fake_gpu.launches() % 3))


def _add_to(grid: tuple[int, int, int], arguments: dict[str, Any], metadata: Any) -> float:
    block, n = arguments["BLOCK"], arguments["n"]
    count = min(n, grid[0] * block)
    assert arguments["EVEN"] == (n % block == 0)
    x, y = (fake_gpu.memory_at(arguments[name], 0, count) for name in "xy")
    y += x
    return 1e-6 * (10 + block / 128 + metadata.num_warps)


EFFECTS = {"scale": _scale, "add_to": _add_to}
