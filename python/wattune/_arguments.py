"""Arrays and scalars of the caller's, from any library: NumPy, CuPy, PyTorch, DLPack, buffers."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from . import _core
from ._errors import Error, wrong

_TYPES = {
    "b1": "uint8",
    "i1": "int8",
    "i2": "int16",
    "i4": "int32",
    "i8": "int64",
    "u1": "uint8",
    "u2": "uint16",
    "u4": "uint32",
    "u8": "uint64",
    "f2": "float16",
    "f4": "float32",
    "f8": "float64",
}
_CTYPES = {"b": "int8", "B": "uint8", "h": "int16", "H": "uint16", "i": "int32", "I": "uint32", "f": "float32",
           "d": "float64", "?": "uint8"}  # fmt: skip
BYTES = {"int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "float16": 2, "bfloat16": 2, "int32": 4, "uint32": 4,
         "float32": 4, "int64": 8, "uint64": 8, "float64": 8}  # fmt: skip


class Array(NamedTuple):
    """An array of the caller's: memory with a type and a shape."""

    type: str
    bytes: int
    shape: tuple[int, ...]
    address: int
    device: int  # number of the CUDA device; -1 for memory of the host
    owner: object  # keeps the memory alive

    @property
    def length(self) -> int:
        """The number of elements."""
        return self.bytes // BYTES[self.type]

    def copy(self) -> _core.Contents:
        """Returns a copy of its contents, of which the run keeps one."""
        return _core.copy_of(self.address, self.bytes, self.device)


class Scalar(NamedTuple):
    """A number of a certain type, passed by value."""

    type: str
    value: int | float
    raw: bytes

    @property
    def text(self) -> str:
        """The number as an expression of a spec, in which numbers from 2**63 on are texts."""
        return f"'{self.value}'" if self.value >= 2**63 and self.type == "uint64" else repr(self.value)


def _checked(name: str, type_: str, is_contiguous: bool) -> None:
    if type_ not in BYTES:
        raise wrong(f"the argument `{name}` has elements of a type that kernels lack", type_)
    if not is_contiguous:
        raise wrong(
            f"the array `{name}` is not contiguous", hint="numpy.ascontiguousarray, or .contiguous() of PyTorch"
        )


def _from_torch(name: str, tensor: Any) -> Array:
    type_ = str(tensor.dtype).removeprefix("torch.").replace("bool", "uint8")
    _checked(name, type_, tensor.is_contiguous())
    device = tensor.device
    if device.type not in ("cpu", "cuda"):
        raise wrong(f"the tensor `{name}` is on a device that kernels do not reach", device)
    number = (device.index or 0) if device.type == "cuda" else -1
    size = tensor.numel() * tensor.element_size()
    return Array(type_, size, tuple(tensor.shape), tensor.data_ptr(), number, tensor)


def _from_interface(name: str, array: Any) -> Array:
    """Reads __cuda_array_interface__ (version 2 or 3) or __array_interface__."""
    on_cuda = hasattr(array, "__cuda_array_interface__")
    facts: Any = array.__cuda_array_interface__ if on_cuda else array.__array_interface__
    shape = tuple(facts["shape"])
    typestr = str(facts["typestr"])
    type_ = typestr if typestr.startswith(">") else _TYPES.get(typestr[1:], typestr)
    strides = facts.get("strides")
    size = BYTES.get(type_, 0)
    expected = size
    is_contiguous = True
    for extent, stride in zip(reversed(shape), reversed(strides or ())):
        is_contiguous = is_contiguous and (extent == 1 or stride == expected)
        expected *= extent
    for extent in shape:
        size *= extent
    _checked(name, type_, is_contiguous)
    device = -1
    if on_cuda:
        owner = getattr(array, "device", None)
        device = int(getattr(owner, "id", getattr(owner, "index", 0)) or 0)
    return Array(type_, size, shape, int(facts["data"][0]), device, array)


def array_from(name: str, given: Any) -> Array | None:
    """Returns the array that an object is; None for an object that is no array.

    Raises InvalidArgumentError if it is not contiguous, was freed, or has elements that kernels lack.
    """
    try:
        array = _array_from(name, given)
    except Error:
        raise
    except Exception as error:
        raise wrong(f"the array `{name}` cannot be read", error) from error
    if array is not None and array.bytes > 0 and array.address == 0:
        raise wrong(f"the array `{name}` has no memory", hint="was it freed?")
    return array


def _array_from(name: str, given: Any) -> Array | None:
    module = type(given).__module__.partition(".")[0]
    if module == "torch" and hasattr(given, "data_ptr"):
        return _from_torch(name, given)
    dtype = getattr(given, "dtype", None)
    if module == "numpy" or (hasattr(given, "__array_interface__") and dtype is not None):
        if not getattr(given, "shape", ()):
            return None
        if str(dtype) == "bfloat16":  # of ml_dtypes
            return _from_interface(name, given.view("uint16"))._replace(type="bfloat16", owner=given)
        return _from_interface(name, given)
    if hasattr(given, "__cuda_array_interface__"):
        return _from_interface(name, given)
    if isinstance(given, (int, float, bool, str, bytes)):
        return None
    if isinstance(given, memoryview):
        given.nbytes  # noqa: B018 - raises for one that was released
    found = _core.array_of(given)
    if found is None:
        return None
    _checked(name, found.type or type(given).__name__, found.contiguous)
    device = found.device if found.on_cuda else -1
    return Array(found.type, found.bytes, tuple(found.shape), found.address, device, found)


def scalar_from(name: str, given: Any) -> Scalar:
    """Returns the scalar that a NumPy or ctypes number is. Raises InvalidArgumentError for any other object."""
    if type(given) in (bool, int, float):
        advice = "numpy.float32(x)" if type(given) is float else "numpy.int32(n)"
        raise wrong(f"the type of the scalar `{name}` is not known", repr(given), f"pass {advice}, or ctypes.c_int(n)")
    if str(getattr(given, "dtype", "")) == "bfloat16" and not getattr(given, "shape", ()):
        return Scalar("bfloat16", float(given), given.tobytes())
    dtype = getattr(given, "dtype", None)
    if dtype is not None and not getattr(given, "shape", ()) and hasattr(given, "tobytes"):
        type_ = _TYPES.get(dtype.str[1:], "")
        if type_:
            value = given.item()
            return Scalar(type_, int(value) if isinstance(value, bool) else value, given.tobytes())
    code = getattr(type(given), "_type_", None)
    if isinstance(code, str) and hasattr(given, "value"):
        import ctypes

        size = ctypes.sizeof(given)
        wide = {"l": "int", "q": "int", "L": "uint", "Q": "uint"}
        type_ = f"{wide[code]}{8 * size}" if code in wide else _CTYPES.get(code, "")
        if type_:
            return Scalar(type_, int(given.value) if code == "?" else given.value, bytes(given))
    raise wrong(f"the argument `{name}` is neither an array nor a number of a known type", type(given).__name__)


def numpy_array(raw: bytes, type_: str, shape: tuple[int, ...]) -> Any:
    """Returns bytes as a NumPy array if NumPy is there, else as a memoryview."""
    try:
        import numpy
    except ImportError:
        return memoryview(raw)
    if type_ == "bfloat16":
        if "ml_dtypes" not in sys.modules:
            return numpy.frombuffer(raw, "uint16").reshape(shape)
        return numpy.frombuffer(raw, sys.modules["ml_dtypes"].bfloat16).reshape(shape)
    return numpy.frombuffer(raw, type_).reshape(shape)


def current_stream(arrays: list[Array]) -> int:
    """Returns the handle of the caller's current CUDA stream, as the library of its arrays knows it."""
    for array in arrays:
        module = type(array.owner).__module__.partition(".")[0]
        library: Any = sys.modules.get(module)
        if module == "torch":
            return int(library.cuda.current_stream(array.device).cuda_stream)
        if module == "cupy":
            return int(library.cuda.get_current_stream().ptr)
    return 0


def stream_handle(stream: object) -> int:
    """Returns the handle of a stream: a number, or an object of CuPy, PyTorch, Numba or with __cuda_stream__."""
    if isinstance(stream, int):
        return stream
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        version_and_handle: Any = protocol() if callable(protocol) else protocol
        return int(version_and_handle[1])
    for name in ("cuda_stream", "ptr", "handle"):
        handle = getattr(stream, name, None)
        if handle is not None:
            return int(getattr(handle, "value", handle) or 0)
    raise wrong("this is no CUDA stream", type(stream).__name__)
