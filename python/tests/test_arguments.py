"""Arrays and scalars of several libraries, and those that kernels cannot take."""

from __future__ import annotations

import array
import ctypes
from typing import Any

import pytest
import wattune
from wattune._arguments import array_from, scalar_from
from wattune._signature import Declared, parameters_of

numpy = pytest.importorskip("numpy")


@pytest.mark.parametrize("name", ["int8", "uint16", "int32", "uint64", "float16", "float32", "float64"])
def test_arrays_of_numpy(name: str) -> None:
    given = numpy.ones((2, 3), name)
    found = array_from("x", given)
    assert found is not None
    assert (found.type, found.bytes, found.shape, found.device) == (name, given.nbytes, (2, 3), -1)
    assert found.address == given.ctypes.data
    assert len(found.copy()) == given.nbytes


def test_booleans_are_bytes() -> None:
    found = array_from("x", numpy.ones(3, bool))
    assert found is not None
    assert found.type == "uint8"


@pytest.mark.parametrize("given", [bytearray(8), memoryview(bytearray(8)), array.array("f", [1.0, 2.0])])
def test_buffers(given: Any) -> None:
    found = array_from("x", given)
    assert found is not None
    assert found.bytes == 8


def test_dlpack() -> None:
    class Exporter:
        def __init__(self) -> None:
            self.array = numpy.ones(4, numpy.float32)

        def __dlpack__(self, **options: Any) -> Any:
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return self.array.__dlpack_device__()

    found = array_from("x", Exporter())
    assert found is not None
    assert (found.type, found.length) == ("float32", 4)


def test_the_interface_of_cuda() -> None:
    class Exporter:
        @property
        def __cuda_array_interface__(self) -> dict[str, Any]:
            return {"shape": (4, 2), "typestr": "<f4", "data": (4096, False), "version": 3, "strides": None}

    found = array_from("x", Exporter())
    assert found is not None
    assert (found.type, found.bytes, found.device, found.address) == ("float32", 32, 0, 4096)


@pytest.mark.parametrize(
    "given", [numpy.ones((4, 4))[:, ::2], numpy.asfortranarray(numpy.ones((3, 2))), numpy.ones(8)[::-1]]
)
def test_arrays_with_gaps_are_refused(given: Any) -> None:
    with pytest.raises(wattune.InvalidArgumentError, match="`x` is not contiguous"):
        array_from("x", given)


@pytest.mark.parametrize("given", [numpy.ones(2, complex), numpy.array(["a"]), numpy.ones(2, ">f4")])
def test_arrays_of_other_types_are_refused(given: Any) -> None:
    with pytest.raises(wattune.InvalidArgumentError, match="type that kernels lack"):
        array_from("x", given)


@pytest.mark.parametrize(
    ("given", "type_", "text"),
    [
        (numpy.int32(5), "int32", "5"),
        (numpy.uint64(2**64 - 1), "uint64", f"'{2**64 - 1}'"),
        (numpy.float32(0.5), "float32", "0.5"),
        (numpy.float16(2), "float16", "2.0"),
        (numpy.bool_(True), "uint8", "1"),
        (ctypes.c_int(-3), "int32", "-3"),
        (ctypes.c_double(0.25), "float64", "0.25"),
        (ctypes.c_size_t(7), "uint64", "7"),
    ],
)
def test_scalars(given: Any, type_: str, text: str) -> None:
    scalar = scalar_from("n", given)
    assert (scalar.type, scalar.text) == (type_, text)


@pytest.mark.parametrize("given", [5, 0.5, True, "5", object()])
def test_scalars_without_a_type_are_refused(given: Any) -> None:
    with pytest.raises(wattune.InvalidArgumentError, match="`n`"):
        scalar_from("n", given)


def test_signatures_are_read_from_sources() -> None:
    text = """
// void add(int wrong) {}
__global__ void add(const float* __restrict__ a, float4 *c, float (*d)[3], const int n = 5);
template <int N> __global__ void __launch_bounds__(128) add(const float* __restrict__ a,  /* in */
    float4 *c, unsigned int n) { more(add(1)); }
"""
    assert parameters_of(text, "add<4>") == [
        Declared("a", True, True),
        Declared("c", True, False),
        Declared("n", False, False),
    ]
    assert parameters_of("kernel void f(__constant float* w, global int* x) {}", "f") == [
        Declared("w", True, True),
        Declared("x", True, False),
    ]
    assert parameters_of("void f() {}", "f") == []
    assert parameters_of("void g(int a) {}", "f") is None


class OnCuda:
    """An array of a CUDA device, as its interface tells; there is no memory behind the address."""

    def __init__(self, address: int, device: int = 0) -> None:
        self.__cuda_array_interface__ = {"shape": (8,), "typestr": "<f4", "data": (address, False), "version": 3}
        self.device = type("Device", (), {"id": device})()


class Gone:
    """An array whose library says that its memory is gone."""

    def __init__(self, protocol: str) -> None:
        self.protocol = protocol

    def __getattr__(self, name: str) -> Any:
        if name == self.protocol:
            raise RuntimeError("the memory was freed")
        raise AttributeError(name)


def tensor(**members: Any) -> Any:
    """Returns an object that looks like a tensor of PyTorch."""
    facts = {
        "dtype": "torch.float32", "is_contiguous": lambda self: True, "numel": lambda self: 8, "shape": (8,),
        "element_size": lambda self: 4, "data_ptr": lambda self: 0, **members, "__module__": "torch",
    }  # fmt: skip
    return type("Tensor", (), facts)()


SOURCE = 'extern "C" void f(const float* a, float* c, int n) { for (int i = 0; i < n; ++i) c[i] = a[i] + K - K; }'


def tuned(a: Any, c: Any) -> wattune.Results:
    return wattune.tune(SOURCE, "f", [a, c, numpy.int32(8)], {"K": [1, 2]}, device="host:0", max_samples=7)


def released() -> memoryview:
    view = memoryview(bytearray(32)).cast("f")
    view.release()
    return view


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (released(), "`a` cannot be read.*released"),
        (Gone("__cuda_array_interface__"), "`a` cannot be read.*the memory was freed"),
        (OnCuda(0), "`a` has no memory"),
        (tensor(device=type("Device", (), {"type": "cpu", "index": None})()), "`a` has no memory"),
        (tensor(device=type("Device", (), {"type": "meta", "index": None})()), "`a` is on a device"),
    ],
    ids=["released", "gone", "address 0", "storage of no bytes", "meta"],
)
def test_arrays_that_are_freed_or_elsewhere(given: Any, words: str) -> None:
    with pytest.raises(wattune.InvalidArgumentError, match=words) as caught:
        tuned(given, numpy.zeros(8, numpy.float32))
    assert "\n" not in str(caught.value)


def test_arrays_of_a_device_that_is_missing() -> None:
    with pytest.raises(wattune.Error) as caught:
        tuned(OnCuda(4096, 99), numpy.zeros(8, numpy.float32))
    assert "\n" not in str(caught.value)
    assert "`a`" in str(caught.value) or "cuda" in str(caught.value).lower()


def test_calls_with_arrays_of_several_devices() -> None:
    a = numpy.ones(8, numpy.float32)
    results = tuned(a, a.copy())
    for mixed in ((OnCuda(4096), a.copy()), (OnCuda(4096), OnCuda(8192, 1))):
        with pytest.raises(wattune.InvalidArgumentError, match="several devices"):
            results(*mixed, numpy.int32(8))
    with pytest.raises(wattune.InvalidArgumentError, match="`c` has no memory"):
        results(a, OnCuda(0), numpy.int32(8))


def test_arrays_that_are_freed_after_the_run_are_not_read_again() -> None:
    a = numpy.arange(8, dtype=numpy.float32)
    c = numpy.zeros(8, numpy.float32)
    results = tuned(a, c)
    del a, c
    b = numpy.ones(8, numpy.float32)
    d = numpy.zeros(8, numpy.float32)
    results(b, d, numpy.int32(8))
    assert d.tolist() == b.tolist()
