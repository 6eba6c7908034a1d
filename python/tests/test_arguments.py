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
