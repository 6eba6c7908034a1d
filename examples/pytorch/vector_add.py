"""Runs a tunable kernel on PyTorch's tensors, in PyTorch's stream, beside torch.add. It tunes while it is called.

    python3 examples/pytorch/vector_add.py [SPEC [SECONDS]]
"""
import pathlib
import sys
import time

from tunable import Tunable


def seconds_of(torch, work, repeats=50):
    """Returns the seconds of the device for one call."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(repeats):
        work()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3 / repeats


def main():
    try:
        import torch
    except ImportError:
        sys.exit("vector_add.py: this needs PyTorch")
    if not torch.cuda.is_available():
        sys.exit("vector_add.py: PyTorch finds no GPU here")
    benchmarks = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"
    spec = sys.argv[1] if len(sys.argv) > 1 else str(benchmarks / "vector_add/vector_add.toml")
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 5.0

    n = 1 << 25
    a, b = torch.rand(n, device="cuda"), torch.rand(n, device="cuda")
    c = torch.empty_like(a)
    stream = torch.cuda.current_stream().cuda_stream
    vector_add = Tunable(spec)
    until = time.monotonic() + seconds
    wrong = calls = 0
    while time.monotonic() < until:
        c.zero_()
        vector_add(stream, a, b, c, n)
        wrong += not torch.equal(c, a + b)  # every call counts, whatever it tried
        calls += 1
    tuned = seconds_of(torch, lambda: vector_add(stream, a, b, c, n))
    torchs = seconds_of(torch, lambda: torch.add(a, b, out=c))
    print(f"{calls} calls, {wrong} wrong; {vector_add.report().strip()}")
    print(f"{1e3 * tuned:.3f} ms a call, torch.add {1e3 * torchs:.3f} ms: {torchs / tuned:.2f} times as fast")
    torch.cuda.synchronize()
    vector_add.close()
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
