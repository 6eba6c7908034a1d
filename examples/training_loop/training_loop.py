"""A loop that calls a layer norm of several sizes on PyTorch's tensors. The kernel tunes itself meanwhile.

python training_loop.py [STEPS [automatic|best]] prints a line of JSON; training_loop.cc is the same program in C++. With
`best` nothing is tuned, so that the gain is the ratio of both times of a step.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path

import torch
import wattune.torch

SIZES = [(4096, 1024), (8192, 768), (2048, 4096)]
CHUNK = 50  # steps between two waits for the device, as for a loss that is read


def main() -> None:
    """Runs the steps and prints what a step took at the end, the longest stall, and the number of wrong results."""
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    mode = sys.argv[2] if len(sys.argv) > 2 else "automatic"
    layers = []
    for rows, columns in SIZES:
        x = torch.randn(rows, columns, device="cuda")
        layers.append((x, torch.randn(columns, device="cuda"), torch.randn(columns, device="cuda"), torch.empty_like(x)))
    with wattune.torch.Tuner() as tuner:
        layer_norm = tuner.kernel(Path(__file__).with_name("layer_norm.toml"), mode=mode)
        chunks = []
        for _ in range(steps // CHUNK):
            begun = time.perf_counter()
            for _ in range(CHUNK):
                for x, weight, bias, y in layers:
                    layer_norm(x, weight, bias, y, *x.shape)
            torch.cuda.synchronize()
            chunks.append((time.perf_counter() - begun) / CHUNK)
        wrong = 0
        for x, weight, bias, y in layers:
            right = torch.nn.functional.layer_norm(x, x.shape[1:], weight, bias)
            wrong += not torch.allclose(y, right, rtol=1e-3, atol=1e-3)
        report = tuner.report()
        kernel = report["kernels"][0]
        print(
            json.dumps(
                {
                    "seconds per step": statistics.median(chunks[-len(chunks) // 5 :]),
                    "seconds per step at first": statistics.median(chunks[: max(1, len(chunks) // 50)]),
                    "wrong": wrong,
                    "wrong results": kernel["wrong_results"],
                    "report": report,
                }
            )
        )
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
