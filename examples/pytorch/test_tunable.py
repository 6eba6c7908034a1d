"""Tests tunable.py without PyTorch and a GPU: memory and stream are those of the tests' stand-in for the driver."""
import ctypes
import os
import pathlib
import sys
import tempfile

from tunable import Tunable

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


class Memory:
    """Four floats of the device. It tells their address as a tensor does."""

    def __init__(self, driver):
        self._driver = driver
        self._at = ctypes.c_uint64()
        assert driver.cuMemAlloc_v2(ctypes.byref(self._at), ctypes.c_size_t(16)) == 0

    def data_ptr(self):
        return self._at.value

    def write(self, *values):
        assert self._driver.cuMemcpyHtoD_v2(self._at, (ctypes.c_float * 4)(*values), ctypes.c_size_t(16)) == 0

    def read(self):
        values = (ctypes.c_float * 4)()
        assert self._driver.cuMemcpyDtoH_v2(values, self._at, ctypes.c_size_t(16)) == 0
        return list(values)


def expect(seen, wanted):
    if seen != wanted:
        sys.exit(f"{seen} in the place of {wanted}")


def refuses(kind, words, call):
    try:
        call()
    except kind as error:
        print(error)
        expect(words in str(error), True)
    else:
        sys.exit(f"no {kind.__name__}: {words}")


def main():
    driver = ctypes.CDLL(os.environ["WATTUNE_LIBCUDA"])
    context, stream = ctypes.c_void_p(), ctypes.c_void_p()
    assert driver.cuInit(0) == 0
    assert driver.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
    assert driver.cuStreamCreate(ctypes.byref(stream), 1) == 0
    x = Memory(driver)
    x.write(1, 2, 3, 4)
    with tempfile.TemporaryDirectory() as folder:
        spec = pathlib.Path(folder) / "scale.toml"
        spec.write_text(SPEC)
        spec.with_suffix(".cu").write_text(SOURCE)
        scale = Tunable(spec, wisdom=pathlib.Path(folder) / "wisdom", trusted=True)
        for factor in (2.0, 0.5, 3.0):
            scale(stream, x, factor, 4)
        assert driver.cuStreamSynchronize(stream) == 0
        expect(x.read(), [3.0, 6.0, 9.0, 12.0])
        expect("BLOCK=" in scale.report(), True)
        refuses(RuntimeError, "takes 3 arguments", lambda: scale(stream, x, factor))
        refuses(RuntimeError, "argument 3 of kernel", lambda: scale(stream, x, factor, True))
        refuses(RuntimeError, "argument 2, 36 bytes", lambda: scale(stream, x, (ctypes.c_float * 9)(), 4))
        for number in (2**31, -(2**31) - 1):
            refuses(OverflowError, str(number), lambda number=number: scale(stream, x, factor, number))
        scale.close()
        refuses(RuntimeError, "absent.toml", lambda: Tunable(pathlib.Path(folder) / "absent.toml"))


if __name__ == "__main__":
    main()
