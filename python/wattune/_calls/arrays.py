"""Arrays of a call as descriptions: what a worker needs to make arrays of the same shape, strides, type and overlap.

A description holds no contents but those of whole numbers and booleans, since these decide which memory a kernel
touches. The worker fills the rest with random numbers.
"""

from __future__ import annotations

import dataclasses
import importlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from .shipping import Shipped, ship, unship

LIBRARIES = {
    "torch": "wattune._calls.torch_arrays",
    "cupy": "wattune._calls.interface_arrays",
    "numba": "wattune._calls.interface_arrays",
}
"""The module that serves arrays of a library, by the library's name."""

MOST_CONTENTS = 1 << 29
"""The largest array of whole numbers whose contents are sent, in bytes; longer ones are zeros in the worker."""


@dataclasses.dataclass(frozen=True)
class Placed:
    """An array in a storage: `offset` in bytes, `strides` in elements."""

    storage: int
    offset: int
    dtype: str
    item: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    wrapped: str = ""
    """The type as which Triton's `reinterpret` shows it; empty without it."""


@dataclasses.dataclass
class Storage:
    """Memory in which arrays lie; `skew` is its address within 256 bytes."""

    size: int
    skew: int
    contents: list[tuple[Placed, bytes]] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Descriptor:
    """A tensor descriptor of Triton over an array."""

    base: Placed
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    block_shape: tuple[int, ...]
    padding: str


@dataclasses.dataclass
class Device:
    """A GPU: its model, its architecture such as sm_90, and its UUID."""

    name: str
    architecture: str
    uuid: str
    index: int = 0


class Library(Protocol):
    """What a module of LIBRARIES provides in the process of the caller."""

    def address(self, array: Any) -> int: ...
    def layout(self, array: Any) -> tuple[str, int, tuple[int, ...], tuple[int, ...]]:
        """Returns type, bytes of an element, shape, and strides in elements."""
        ...

    def contents(self, array: Any) -> bytes | None:
        """Returns the contents of an array of whole numbers or booleans, in C order; None for others."""
        ...

    def device(self) -> Device: ...
    def capturing(self) -> bool: ...
    def finish(self) -> None: ...


def library_name(value: object) -> str | None:
    """Returns the library whose array this is; None if it is no array."""
    for each in type(value).__mro__:
        top = each.__module__.partition(".")[0]
        if top in LIBRARIES and hasattr(value, "dtype") and hasattr(value, "shape"):
            return top
    return None


def library(name: str) -> Any:
    """Returns the module for arrays of this library."""
    return importlib.import_module(LIBRARIES[name])


def _unwrapped(value: Any) -> tuple[Any, str]:
    """Returns the array and the type as which Triton's `reinterpret` shows it."""
    if type(value).__name__ == "TensorWrapper" and hasattr(value, "base"):
        return value.base, str(value.dtype)
    return value, ""


def _is_descriptor(value: object) -> bool:
    return type(value).__name__ == "TensorDescriptor" and hasattr(value, "base") and hasattr(value, "block_shape")


class Described:
    """The arguments of a call by name, for another process: `nodes`, and the storages that they lie in."""

    def __init__(self, values: dict[str, object]) -> None:
        self.library: str | None = None
        self.storages: list[Storage] = []
        self._found: list[tuple[Any, int, int, int]] = []  # array, lowest and highest address, place
        self._arrays(values)
        self._placed = self._place()
        self.nodes = {name: self._node(value) for name, value in values.items()}

    def with_contents(self) -> list[Storage]:
        """Returns the storages with the contents of whole numbers and booleans, which it copies from the GPU."""
        storages = [dataclasses.replace(each, contents=[]) for each in self.storages]
        for array, low, high, _ in self._found:
            module = library(library_name(array) or "")
            here = self._placed[id(array)]
            storage = storages[here.storage]
            if not module.is_whole(array) or any(here == known for known, _ in storage.contents):
                continue
            content = module.contents(array) if high - low <= MOST_CONTENTS else None
            if content is not None:
                storage.contents.append((here, content))
        return storages

    def _arrays(self, values: dict[str, object]) -> None:
        for value in _leaves(tuple(values.values())):
            found = library_name(value)
            if found is None:
                continue
            self.library = self.library or found
            module = library(found)
            _, item, shape, strides = module.layout(value)
            address = module.address(value)
            low = address + item * sum(min(0, (n - 1) * s) for n, s in zip(shape, strides))
            high = address + item * (1 + sum(max(0, (n - 1) * s) for n, s in zip(shape, strides)))
            if 0 in shape:
                low, high = address, address
            self._found.append((value, low, high, len(self._found)))

    def _place(self) -> dict[int, Placed]:
        """Puts arrays whose memory overlaps into one storage. Arrays without memory get one each."""
        placed: dict[int, Placed] = {}
        end, start = -1, 0
        for array, low, high, _ in sorted(self._found, key=lambda each: each[1:3]):
            module = library(library_name(array) or "")
            dtype, item, shape, strides = module.layout(array)
            address = module.address(array)
            if low >= end or address == 0:
                start = low - low % 256
                self.storages.append(Storage(0, low % 256))
            storage = self.storages[-1]
            end = max(end, high) if address else -1
            storage.size = max(storage.size, high - start - storage.skew)
            here = Placed(len(self.storages) - 1, address - start - storage.skew, dtype, item, shape, strides)
            if id(array) not in placed:
                placed[id(array)] = here
        return placed

    def _node(self, value: Any) -> Any:
        bare, wrapped = _unwrapped(value)
        if id(bare) in self._placed:
            here = self._placed[id(bare)]
            return dataclasses.replace(here, wrapped=wrapped) if wrapped else here
        if _is_descriptor(value):
            base = self._node(value.base)
            padding = str(getattr(value, "padding", "zero"))
            return Descriptor(base, tuple(value.shape), tuple(value.strides), tuple(value.block_shape), padding)
        if isinstance(value, tuple):
            return tuple(self._node(each) for each in value)
        return ship(value), None


def _leaves(value: Any) -> Iterator[Any]:
    """Yields the arrays in a value."""
    bare, _ = _unwrapped(value)
    if _is_descriptor(value):
        yield from _leaves(value.base)
    elif isinstance(bare, tuple):
        for each in bare:
            yield from _leaves(each)
    else:
        yield bare


def is_plain(node: object) -> bool:
    """Tells whether a node of a description is a value that was shipped."""
    return isinstance(node, tuple) and len(node) == 2 and node[1] is None and isinstance(node[0], tuple)


def rebuilt(node: Any, array: Callable[[Placed], Any]) -> Any:
    """Returns the argument that a node describes, with `array` making its arrays."""
    if isinstance(node, Placed):
        return array(node)
    if isinstance(node, Descriptor):
        from triton.tools.tensor_descriptor import TensorDescriptor

        options = {"padding": node.padding} if node.padding != "zero" else {}
        shape, strides, block = list(node.shape), list(node.strides), list(node.block_shape)
        return TensorDescriptor(array(node.base), shape, strides, block, **options)
    if is_plain(node):
        shipped: Shipped = node[0]
        return unship(shipped)
    return tuple(rebuilt(each, array) for each in node)


def loaded_library() -> str | None:
    """Returns the library that this process has loaded, torch before others."""
    return next((each for each in LIBRARIES if each in sys.modules), None)


def order_of(shape: Sequence[int], strides: Sequence[int]) -> str:
    """Returns the order of dimensions in memory, if it is not that of C; empty if it is."""
    long = [i for i in range(len(shape)) if shape[i] > 1]
    order = sorted(long, key=lambda i: (-strides[i], i))
    if order != long:
        return "".join(map(str, order))
    return "" if not long or strides[long[-1]] == 1 else "with gaps"


def kinds(values: Mapping[str, object]) -> list[tuple[str, str, str]]:
    """Returns name, type and order of each array among values."""
    found = []
    for name, value in values.items():
        made_by = library_name(value)
        if made_by is not None:
            dtype, _, shape, strides = library(made_by).layout(value)
            found.append((name, dtype, order_of(shape, strides)))
    return found


def types_and_layouts(of: Sequence[tuple[str, str, str]]) -> dict[str, str]:
    """Returns the parts of a key that tell the types of arrays, and their orders if any is not that of C."""
    parts = {"types": ", ".join(f"{name} {dtype.rpartition('.')[2]}" for name, dtype, _ in of)}
    layouts = ", ".join(f"{name} {order}" for name, _, order in of if order)
    return {**parts, "layouts": layouts} if layouts else parts
