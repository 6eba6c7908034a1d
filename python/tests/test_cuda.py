"""Tuning on a CUDA device, with arrays of CuPy and PyTorch. Skipped where there is none.

pip install dist/*.whl pytest numpy cupy-cuda12x torch
pytest python/tests/test_cuda.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import wattune

numpy = pytest.importorskip("numpy")

N = 1 << 20
SOURCE = """
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int first = (blockIdx.x * BLOCK + threadIdx.x) * PER;
  for (int i = first; i < first + PER && i < n; ++i) c[i] = a[i] + b[i];
}
"""
PARAMETERS = {"BLOCK": [64, 128, 256], "PER": [1, 2, 4]}


def has_cuda() -> bool:
    try:
        return any(each["backend"] == "cuda" for each in wattune.devices())
    except wattune.Error:
        return False


pytestmark = pytest.mark.skipif(not has_cuda(), reason="no CUDA device")


def tuned(arguments: list[Any], **options: Any) -> wattune.Results:
    return wattune.tune(
        SOURCE, "vector_add", arguments, PARAMETERS, outputs=["c"], block="BLOCK", grid="-(-n // (BLOCK * PER))",
        constraints=["BLOCK * PER <= 1024"], device="cuda", **options,
    )  # fmt: skip


def numbers() -> tuple[Any, Any]:
    generator = numpy.random.default_rng(1)
    return generator.random(N, dtype=numpy.float32), generator.random(N, dtype=numpy.float32)


def test_arrays_of_numpy() -> None:
    a, b = numbers()
    c = numpy.zeros_like(a)
    results = tuned([a, b, c, numpy.int32(N)], answer={"c": a + b})
    assert len(results) == 9
    assert all(each["verified"] for each in results)
    results(a, b, c, numpy.int32(N))
    assert numpy.array_equal(c, a + b)


def test_short_kernels_in_graphs() -> None:
    a, b = numbers()
    results = tuned([a, b, numpy.zeros_like(a), numpy.int32(N)], answer={"c": a + b}, launch="graph")
    assert all(each["status"] == "correct" for each in results)


def test_arrays_of_cupy() -> None:
    cupy = pytest.importorskip("cupy")
    a, b = map(cupy.asarray, numbers())
    c = cupy.zeros_like(a)
    results = tuned([a, b, c, numpy.int32(N)], answer={"c": a + b})
    assert all(each["verified"] for each in results)
    assert not c.any(), "the caller's arrays stay as they are"
    results(a, b, c, numpy.int32(N))
    assert bool((c == a + b).all())
    stream = cupy.cuda.Stream(non_blocking=True)
    c.fill(0)
    cupy.cuda.Device().synchronize()
    results.kernel(a, b, c, numpy.int32(N), stream=stream)
    stream.synchronize()
    assert bool((c == a + b).all())
    c.fill(0)
    with stream:
        results(a, b, c, numpy.int32(N))
    stream.synchronize()
    assert bool((c == a + b).all())


def test_kernels_of_cupy() -> None:
    cupy = pytest.importorskip("cupy")
    raw = cupy.RawKernel(SOURCE, "vector_add")
    a, b = map(cupy.asarray, numbers())
    results = wattune.tune(
        raw, arguments=[a, b, cupy.zeros_like(a), numpy.int32(N)], parameters=PARAMETERS, block="BLOCK",
        grid=lambda BLOCK, PER: -(-N // (BLOCK * PER)), device="cuda",
    )  # fmt: skip
    assert all(each["status"] == "correct" for each in results)
    c = cupy.zeros_like(a)
    results(a, b, c, numpy.int32(N))
    assert bool((c == a + b).all())


def test_tensors_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    a, b = (torch.from_numpy(each).cuda() for each in numbers())
    c = torch.zeros_like(a)
    results = tuned([a, b, c, numpy.int32(N)], answer={"c": a + b})
    assert all(each["verified"] for each in results)
    results(a, b, c, numpy.int32(N))
    assert torch.equal(c, a + b)
    c.zero_()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        results(a, b, c, numpy.int32(N))
    stream.synchronize()
    assert torch.equal(c, a + b)
    with pytest.raises(wattune.InvalidArgumentError, match="several devices"):
        results(a, b.cpu(), c, numpy.int32(N))
    with pytest.raises(wattune.InvalidArgumentError, match="contiguous"):
        results(a[::2], b, c, numpy.int32(N))


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_half_precision(name: str) -> None:
    torch = pytest.importorskip("torch")
    header, type_ = {"float16": ("cuda_fp16.h", "__half"), "bfloat16": ("cuda_bf16.h", "__nv_bfloat16")}[name]
    source = f"""
#include <{header}>
extern "C" __global__ void twice(const {type_}* x, {type_}* y, int n) {{
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = x[i] + x[i];
}}
"""
    x = torch.arange(1024, device="cuda").to(getattr(torch, name))
    results = wattune.tune(
        source, "twice", [x, torch.zeros_like(x), numpy.int32(1024)], {"BLOCK": [64, 128]}, block="BLOCK",
        grid="-(-n // BLOCK)", answer={"y": x + x}, device="cuda",
    )  # fmt: skip
    assert [each["status"] for each in results] == ["correct", "correct"]
    y = torch.zeros_like(x)
    results(x, y, numpy.int32(1024))
    assert torch.equal(y, x + x)


def test_shared_memory_by_a_function() -> None:
    source = """
extern "C" __global__ void turn(const float* x, float* y, int n) {
  extern __shared__ float tile[];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) tile[threadIdx.x] = x[i];
  __syncthreads();
  if (i < n) y[blockIdx.x * BLOCK + BLOCK - 1 - threadIdx.x] = tile[threadIdx.x];
}
"""
    x = numpy.arange(1024, dtype=numpy.float32)
    results = wattune.tune(
        source, "turn", [x, numpy.zeros_like(x), numpy.int32(1024)], {"BLOCK": [64, 128]}, block="BLOCK",
        grid="n // BLOCK", shared=lambda BLOCK: 4 * BLOCK, device="cuda",
        check=lambda outputs, at: bool((outputs["y"].reshape(-1, at["BLOCK"])[:, ::-1].reshape(-1) == x).all()),
    )  # fmt: skip
    assert [each["status"] for each in results] == ["correct", "correct"]


def test_a_crash_costs_its_configuration_and_not_the_context(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    source = SOURCE.replace("c[i] = a[i] + b[i]", "(PER == 2 ? (float*)8 : c)[i] = a[i] + b[i]")
    a, b = (torch.from_numpy(each).cuda() for each in numbers())
    results = wattune.tune(
        source, "vector_add", [a, b, torch.zeros_like(a), numpy.int32(N)], PARAMETERS, block="BLOCK",
        grid="-(-n // (BLOCK * PER))", device="cuda", journal=tmp_path / "x.jsonl",
    )  # fmt: skip
    assert {each["status"] for each in results if each["PER"] == 2} == {"runtime"}
    assert {each["status"] for each in results if each["PER"] != 2} == {"correct"}
    assert torch.equal(a + b, a + b)


def test_calls_are_captured() -> None:
    torch = pytest.importorskip("torch")
    a, b = (torch.from_numpy(each).cuda() for each in numbers())
    c = torch.zeros_like(a)
    results = tuned([a, b, c, numpy.int32(N)])
    results(a, b, c, numpy.int32(N))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results(a, b, c, numpy.int32(N))
    c.zero_()
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(c, a + b)


def test_arrays_that_are_freed_cost_no_context() -> None:
    torch = pytest.importorskip("torch")
    a, b = (torch.from_numpy(each).cuda() for each in numbers())
    interface = {"shape": (N,), "typestr": "<f4", "data": (4096, False), "version": 3}
    freed = type("Freed", (), {"__cuda_array_interface__": interface})()
    with pytest.raises(wattune.Error) as caught:
        tuned([freed, b, torch.zeros_like(a), numpy.int32(N)])
    assert "\n" not in str(caught.value)
    assert torch.equal(a + b, b + a)
    assert len(tuned([a, b, torch.zeros_like(a), numpy.int32(N)], evaluations=1)) == 1
