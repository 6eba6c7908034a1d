"""wattune.torch.Tuner without PyTorch and a GPU: memory and driver are those of the tests' stand-in for CUDA."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

FAKES = Path(os.environ.get("WATTUNE_TEST_FAKES", "build/release/bin"))

pytestmark = pytest.mark.skipif(
    not (FAKES / "wattune-fake-libcuda.so").exists(), reason="the stand-in for CUDA is not built (WATTUNE_TEST_FAKES)"
)

SPEC = """
[kernel]
file = "scale.cu"
language = "cuda"
function = "scale"
arguments = [
  { name = "x", type = "float*", length = "n", access = "readwrite" },
  { name = "factor", type = "float", value = "2.0" },
  { name = "n", type = "int", value = "n" },
]
[problem]
n = 4
[launch]
divide = [["BLOCK"]]
block = ["BLOCK"]
[parameters]
BLOCK = [256, 128, 64, 32]
"""
SOURCE = 'extern "C" __global__ void scale(float* x, float factor, int n) {}  // the stand-in knows what scale does'
PROGRAM = """
import ctypes, os
import wattune, wattune.torch

driver = ctypes.CDLL(os.environ["WATTUNE_LIBCUDA"])
assert driver.cuInit(0) == 0
device, context, stream = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
assert driver.cuDeviceGet(ctypes.byref(device), 0) == 0
assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
assert driver.cuCtxSetCurrent(context) == 0
assert driver.cuStreamCreate(ctypes.byref(stream), 1) == 0

class Memory:
    def __init__(self, *values):
        self.at = ctypes.c_uint64()
        assert driver.cuMemAlloc_v2(ctypes.byref(self.at), ctypes.c_size_t(4 * len(values))) == 0
        data = (ctypes.c_float * len(values))(*values)
        assert driver.cuMemcpyHtoD_v2(self.at, data, ctypes.c_size_t(4 * len(values))) == 0
        self.__cuda_array_interface__ = {{
            "shape": (len(values),), "typestr": "<f4", "data": (self.at.value, False), "version": 3, "strides": None}}
    def read(self):
        values = (ctypes.c_float * 4)()
        assert driver.cuMemcpyDtoH_v2(values, self.at, ctypes.c_size_t(16)) == 0
        return list(values)

def refused(kind, words, call):
    try:
        call()
    except kind as error:
        assert words in str(error), str(error)
    else:
        raise SystemExit("not refused: " + words)

x = Memory(1, 2, 3, 4)
with wattune.torch.Tuner(wisdom={wisdom!r}, device=0) as tuner:
    scale = tuner.kernel({spec!r}, safety="trusted")
    for factor in (2.0, 0.5, 3.0):
        scale(x, factor, 4, stream=stream.value)
    assert driver.cuStreamSynchronize(stream) == 0
    assert x.read() == [3.0, 6.0, 9.0, 12.0], x.read()
    assert set(scale.best(n=4)) == {{"BLOCK"}}
    report = tuner.report()
    assert report["kernels"][0]["calls"] == 3 and report["kernels"][0]["wrong_results"] == 0
    refused(wattune.InvalidArgumentError, "takes 3 arguments", lambda: scale(x, 2.0))
    refused(wattune.InvalidArgumentError, "no array of float32", lambda: scale(1, 2.0, 4))
    refused(wattune.InvalidArgumentError, "is of type int32", lambda: scale(x, 2.0, 4.5))
    refused(wattune.OutOfRangeError, "does not fit", lambda: scale(x, 2.0, 2**31))
    refused(wattune.InvalidArgumentError, "a mode is one of", lambda: scale.set_mode("fast"))
    refused(wattune.InvalidArgumentError, "a level of safety is one of", lambda: tuner.kernel({spec!r}, safety="none"))
    refused(wattune.NotFoundError, "absent.toml", lambda: tuner.kernel("absent.toml"))
    scale.preload(n=4)
    scale.expect(n=4, calls=10)
    scale.set_mode("best")
    scale(x, 1.0, 4, stream=stream.value)
refused(wattune.UnavailableError, "is closed", lambda: scale(x, 1.0, 4))
refused(wattune.UnavailableError, "is closed", tuner.report)
forgotten = wattune.torch.Tuner(device=0)  # ends at exit
print("fine")
"""


def test_calls_tune_and_wrong_input_is_refused(
    tmp_path: Path, python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    spec = tmp_path / "scale.toml"
    spec.write_text(SPEC)
    spec.with_suffix(".cu").write_text(SOURCE)
    names = {"WATTUNE_LIBCUDA": "cuda", "WATTUNE_LIBNVML": "nvml", "WATTUNE_LIBNVRTC": "nvrtc"}
    fakes = {variable: str((FAKES / f"wattune-fake-lib{name}.so").resolve()) for variable, name in names.items()}
    program = PROGRAM.format(spec=str(spec), wisdom=str(tmp_path / "app.wisdom"))
    run = python(program, env={**os.environ, **fakes})
    assert run.returncode == 0, run.stderr
    assert run.stdout == "fine\n"
    assert "leaked" not in run.stderr
