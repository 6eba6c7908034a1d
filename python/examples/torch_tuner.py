"""Runs a kernel of a spec on PyTorch's tensors, in PyTorch's stream, beside torch.add. It tunes while it is called.

python torch_tuner.py [SPEC [SECONDS]], where SPEC is benchmarks/vector_add/vector_add.toml or one with its arguments
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import wattune.torch


def seconds_of(torch: Any, work: Callable[[], object], repeats: int = 50) -> float:
    """Returns the seconds of the device for one call."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(repeats):
        work()
    end.record()
    end.synchronize()
    return float(begin.elapsed_time(end)) / 1e3 / repeats


def main() -> None:
    """Calls the kernel for some seconds, checks each result, and compares the times."""
    import torch

    if not torch.cuda.is_available():
        sys.exit("torch_tuner.py: PyTorch finds no GPU here")
    spec = sys.argv[1] if len(sys.argv) > 1 else "benchmarks/vector_add/vector_add.toml"
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 5.0
    n = 1 << 25
    a, b = torch.rand(n, device="cuda"), torch.rand(n, device="cuda")
    c = torch.empty_like(a)
    wrong = calls = 0
    with wattune.torch.Tuner() as tuner:
        vector_add = tuner.kernel(spec)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            c.zero_()
            vector_add(a, b, c, n)
            wrong += not torch.equal(c, a + b)  # every call counts, whatever it tried
            calls += 1
        print(f"{calls} calls, {wrong} wrong; n = {n} runs {vector_add.best(n=n)}")
        ours = seconds_of(torch, lambda: vector_add(a, b, c, n))
        theirs = seconds_of(torch, lambda: torch.add(a, b, out=c))
        print(f"{1e3 * ours:.3f} ms a call, torch.add {1e3 * theirs:.3f} ms: {theirs / ours:.2f} times as fast")
        torch.cuda.synchronize()
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
