"""The interface of Kernel Tuner on a CUDA device. Skipped where there is none.

pip install dist/*.whl pytest numpy cupy-cuda12x
pytest python/tests/test_kernel_tuner_cuda.py
"""

from __future__ import annotations

from typing import Any

import pytest
import wattune
from wattune.kernel_tuner import run_kernel, tune_kernel
from wattune.kernel_tuner.accuracy import AccuracyObserver, TunablePrecision
from wattune.kernel_tuner.kernelbuilder import PythonKernel
from wattune.kernel_tuner.observers.ncu import NCUObserver
from wattune.kernel_tuner.observers.nvml import NVMLObserver
from wattune.kernel_tuner.observers.register import RegisterObserver

numpy = pytest.importorskip("numpy")


def has_cuda() -> bool:
    try:
        return any(each["backend"] == "cuda" for each in wattune.devices())
    except wattune.Error:
        return False


pytestmark = pytest.mark.skipif(not has_cuda(), reason="no CUDA device")

N = 1 << 20
ADD = """
__global__ void add(float* c, float* a, float* b, int n) {
  int i = blockIdx.x * block_size_x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""
TEMPLATE = """
#include <cuda_fp16.h>
using half = __half;
template <typename T, int width>
__global__ void add(T* c, const T* a, const T* b, int n) {
  int i = blockIdx.x * width + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""
MEMORY = """
__constant__ float weights[4];
extern __shared__ float tile[];
__global__ void weigh(float* c, const float* a, int n) {
  int i = blockIdx.x * block_size_x + threadIdx.x;
  #pragma unroll loop_unroll_factor_0
  for (int k = 0; k < 1; ++k) tile[threadIdx.x] = i < n ? a[i] : 0;
  __syncthreads();
  if (i < n) c[i] = tile[threadIdx.x] * weights[i % 4] * kernel_tuner * (grid_size_x > 0);
}
"""


@pytest.fixture
def arrays() -> list[Any]:
    generator = numpy.random.default_rng(1)
    a, b = generator.random((2, N), dtype=numpy.float32)
    return [numpy.zeros(N, numpy.float32), a, b, numpy.int32(N)]


def test_results(arrays: list[Any]) -> None:
    results, env = tune_kernel("add", ADD, N, arrays, {"block_size_x": [64, 128, 2048]}, quiet=True,
                               answer=[arrays[1] + arrays[2], None, None, None])  # fmt: skip
    assert [each["block_size_x"] for each in results] == [64, 128], "blocks that are too large are left out"
    assert all(len(each["times"]) == 7 for each in results)
    assert env["best_config"] in results


def test_templates_and_precision() -> None:
    a = numpy.linspace(0.0, 1.0, N)
    arguments = [TunablePrecision("real", numpy.zeros(N)), TunablePrecision("real", a), TunablePrecision("real", a),
                 numpy.int32(N)]  # fmt: skip
    results, _ = tune_kernel(
        "add<real, block_size_x>", TEMPLATE, N, arguments,
        {"block_size_x": [64, 128], "real": ["half", "float", "double"]},
        answer=[2 * a, None, None, None], observers=[AccuracyObserver("max")], lang="CUDA", quiet=True,
    )  # fmt: skip
    errors = {each["real"]: each["error"] for each in results}
    assert errors["double"] < errors["float"] < errors["half"] < 1e-2
    assert len(results) == 6


def test_shared_and_constant_memory(arrays: list[Any]) -> None:
    weights = numpy.array([1, 2, 3, 4], numpy.float32)
    expected = arrays[1] * numpy.tile(weights, N // 4)
    arguments = [arrays[0], arrays[1], arrays[3]]
    options: dict[str, Any] = {"cmem_args": {"weights": weights}, "quiet": True}
    results, _ = tune_kernel(
        "weigh", MEMORY, N, arguments, {"block_size_x": [64, 128], "loop_unroll_factor_0": [0, 1]},
        smem_args={"size": "block_size_x * 4"}, answer=[expected, None, None], **options,
    )  # fmt: skip
    assert len(results) == 4
    assert not any("__error__" in each for each in results)
    found = run_kernel("weigh", MEMORY, N, arguments, {"block_size_x": 64, "loop_unroll_factor_0": 1},
                       smem_args={"size": lambda p: p["block_size_x"] * 4}, **options)  # fmt: skip
    assert numpy.array_equal(found[0], expected)


def test_observers(arrays: list[Any]) -> None:
    observers = [NVMLObserver(["nvml_power", "nvml_energy", "temperature", "core_freq"]), RegisterObserver()]
    results, _ = tune_kernel("add", ADD, N, arrays, {"block_size_x": [128]}, observers=observers, quiet=True,
                             metrics={"per watt": lambda p: N / p["nvml_energy"]})  # fmt: skip
    (only,) = results
    assert only["nvml_power"] > 10 and only["nvml_energy"] > 0
    assert only["num_regs"] > 0
    assert only["core_freq"] > 100
    assert only["per watt"] == pytest.approx(N / only["nvml_energy"])


def test_counters(arrays: list[Any]) -> None:
    observer = NCUObserver(["dram__bytes_read.sum"])
    try:
        results, _ = tune_kernel("add", ADD, N, arrays, {"block_size_x": [128]}, observers=[observer], quiet=True)
    except wattune.UnavailableError as error:
        pytest.skip(str(error))
    assert results[0]["dram__bytes_read.sum"] >= 0


def test_arrays_of_cupy() -> None:
    cupy = pytest.importorskip("cupy")
    a = cupy.arange(N, dtype=cupy.float32)
    arguments = [cupy.zeros_like(a), a, a, numpy.int32(N)]
    results, _ = tune_kernel("add", ADD, N, arguments, {"block_size_x": [128]}, lang="cupy", quiet=True,
                             answer=[a + a, None, None, None])  # fmt: skip
    assert "__error__" not in results[0]
    kernel = PythonKernel("add", ADD, N, arguments, {"block_size_x": 128}, lang="cupy")
    kernel(*arguments)
    assert cupy.allclose(arguments[0], a + a)
    found = run_kernel("add", ADD, N, arguments, {"block_size_x": 64}, lang="cupy", quiet=True)
    assert isinstance(found[0], cupy.ndarray)
