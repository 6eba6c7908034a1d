"""Kernels that tune themselves while a Python program calls them with its own device memory, as PyTorch's tensors.

    vector_add = Tunable("vector_add.toml", wisdom="app.wisdom")
    vector_add(stream, a, b, c, n)          # a, b, c: anything with data_ptr(); n: an int, which is C's

The library is build/release/lib/libwattune_tunable.so, or the one that WATTUNE_TUNABLE names.
"""
import ctypes
import os
import pathlib


class Argument(ctypes.Structure):
    """An argument as tunable.cc declares it: device memory (no bytes), or a scalar by value."""

    _fields_ = [("pointer", ctypes.c_void_p), ("bytes", ctypes.c_uint64)]


def library():
    build = pathlib.Path(__file__).resolve().parents[2] / "build/release/lib"
    loaded = ctypes.CDLL(os.environ.get("WATTUNE_TUNABLE", str(build / "libwattune_tunable.so")))
    loaded.wattune_open.restype = ctypes.c_void_p
    loaded.wattune_open.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int]
    loaded.wattune_call.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(Argument), ctypes.c_size_t]
    loaded.wattune_report.restype = loaded.wattune_told.restype = ctypes.c_char_p
    loaded.wattune_report.argtypes = loaded.wattune_close.argtypes = [ctypes.c_void_p]
    return loaded


class Tunable:
    """A spec's kernel. A CUDA context must be current: torch.cuda.init() and a first tensor make it so."""

    def __init__(self, spec, wisdom="", trusted=False):
        self._library = library()
        self._kernel = self._library.wattune_open(os.fsencode(spec), os.fsencode(wisdom), trusted)
        if not self._kernel:
            raise RuntimeError(self._library.wattune_told().decode())

    def __call__(self, stream, *arguments):
        """Calls the kernel in a stream, given by its CUDA handle such as torch.cuda.current_stream().cuda_stream.
        Python's bool, int and float are C's bool, int and float; other scalars are passed as ctypes values. Raises
        OverflowError if an int is no C int."""
        scalars = [self._scalar(each) for each in arguments]
        passed = (Argument * len(arguments))()
        for i, (argument, scalar) in enumerate(zip(arguments, scalars)):
            if scalar is None:
                passed[i] = Argument(argument.data_ptr(), 0)
            else:
                passed[i] = Argument(ctypes.addressof(scalar), ctypes.sizeof(scalar))
        if self._library.wattune_call(self._kernel, stream, passed, len(arguments)):
            raise RuntimeError(self._library.wattune_told().decode())

    @staticmethod
    def _scalar(argument):
        if isinstance(argument, bool):  # which is an int, too
            return ctypes.c_bool(argument)
        if isinstance(argument, int):
            scalar = ctypes.c_int(argument)  # keeps the lowest 32 bits
            if scalar.value != argument:
                raise OverflowError(f"{argument} is no C int: pass ctypes.c_int64({argument}) where the kernel has one")
            return scalar
        if isinstance(argument, float):
            return ctypes.c_float(argument)
        return None if hasattr(argument, "data_ptr") else argument

    def report(self):
        """Returns a line for each key: the configurations tried, the state of tuning, and the best one."""
        return self._library.wattune_report(self._kernel).decode()

    def close(self):
        """Saves the wisdom. Precondition: no call of the kernel is in flight."""
        if self._kernel:
            self._library.wattune_close(self._kernel)
            self._kernel = None
