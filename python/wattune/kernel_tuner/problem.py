"""A kernel of Kernel Tuner's with its arguments, as a problem that wattune.tune() takes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._arguments import Array, array_from, scalar_from
from .._errors import wrong
from .._functions import describe, split_constraints
from .._problem import Computed, Output, Problem
from .._signature import Declared, parameters_of
from .geometry import Geometry, Params, evaluated
from .sources import CALLED, KernelSource, Writer, call_of, returns_time

_C_TYPES = {
    "int8": "signed char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short", "int32": "int",
    "uint32": "unsigned int", "int64": "long", "uint64": "unsigned long", "float32": "float", "float64": "double",
    "float16": "unsigned short", "bfloat16": "unsigned short",
}  # fmt: skip


RUN_SECONDS = 600.0
"""The longest time of a run before the first correct one, as Kernel Tuner has no limit at all."""


class KernelOptions(NamedTuple):
    """The arguments that tune_kernel(), run_kernel() and PythonKernel share."""

    source: KernelSource
    geometry: Geometry
    arguments: Sequence[Any]
    smem_args: Mapping[str, Any] | None
    cmem_args: Mapping[str, Any] | None
    compiler_options: Sequence[str] | None
    defines: Mapping[str, Any] | None


def is_array(given: Any) -> bool:
    """Tells whether an argument is an array of NumPy, CuPy, PyTorch or the like."""
    return bool(getattr(given, "shape", ())) or hasattr(given, "__cuda_array_interface__")


def contiguous(position: int, given: Any) -> Any:
    """Returns an argument as kernels get it. Raises TypeError for a number without a type, or any other object."""
    numpy = sys.modules.get("numpy")
    if type(given) in (bool, int, float, complex, str, list, tuple, dict) or given is None:
        raise TypeError(
            f"argument {position} of the kernel is a {type(given).__name__}; pass a NumPy array or a number with a "
            "type, such as numpy.int32(n)"
        )
    if numpy is not None and isinstance(given, (numpy.ndarray, numpy.generic)):
        if given.dtype.kind == "c":
            given = given.reshape(given.shape or (1,)).view("f4" if given.dtype.itemsize == 8 else "f8")
        return numpy.ascontiguousarray(given) if given.shape else given
    return given


def on_host(given: Any) -> Any:
    """Returns an array as one of NumPy; None stays."""
    import numpy

    if given is None:
        return None
    if hasattr(given, "detach"):
        return given.detach().cpu().numpy()
    return given.get() if hasattr(given, "__cuda_array_interface__") else numpy.asarray(given)


def dtype_of(given: Any) -> Any:
    """Returns the NumPy type of an array's elements."""
    return on_host(given[:0]).dtype if hasattr(given, "detach") else given.dtype


class KernelProblem(Problem):
    """A problem whose text and launch come from functions of the configuration."""

    def __init__(self, options: KernelOptions, parameters: Mapping[str, Sequence[Any]], first: Params,
                 answers: Sequence[Any] | None, constraints: Sequence[Any],
                 default: Mapping[str, Any]) -> None:  # fmt: skip
        super().__init__()
        self.parameters = list(parameters)
        self.options = options
        self.arrays: dict[int, Array] = {}
        self._answers = answers
        source, geometry = options.source, options.geometry
        compiler_options = [str(each) for each in options.compiler_options or ()]
        text = source.text(source.main, first)
        compiler_options += [f"-I{folder}" for folder in source.include_folders(text)]
        declared = None if source.is_fortran else parameters_of(text, source.name)
        arguments, wrapped = self._arguments(declared)
        returns = "float" if source.is_host and returns_time(text, source.name) else ""
        call = ""
        if source.is_host:
            call = call_of(source, wrapped, source.name, returns or "void")
        self._writer = Writer(source, geometry, options.defines, self.parameters, compiler_options, call)
        self.writer = (self._writer, describe(self._describe_writer(text)))
        if not source.is_host:
            self.computed = [Computed(name, function, name, False) for name, function in geometry.computed()]
        arguments += self._memory()
        texts, self.predicates = split_constraints(constraints, self.parameters)
        self.returned_time = "ms" if returns else ""
        called = CALLED if call else source.name
        self.description = {
            "name": source.name.partition("<")[0], "language": source.language, "function": called,
            "text": self._writer(dict(first)), "file": source.file or "",
            "options": [] if source.is_fortran else compiler_options,
            "compiler": "" if source.is_fortran else source.compiler or "", "returned_time": self.returned_time,
            "grid": [] if source.is_host else [f"launched_blocks_{letter}" for letter in "xyz"],
            "block": [] if source.is_host else [f"launched_threads_{letter}" for letter in "xyz"],
            "arguments": arguments, "sizes": {}, "parameters": {name: list(each) for name, each in parameters.items()},
            "defaults": dict(default), "constraints": texts, "answers": {}, "metrics": {},
            "macros": source.language != "OpenCL",  # whose headers also see macros that compilers get
        }  # fmt: skip

    def _describe_writer(self, text: str) -> Any:
        """Returns a function that stands for the text: describe() tells functions apart by their closure."""
        defines = {
            name: describe(each) if callable(each) else each for name, each in (self.options.defines or {}).items()
        }
        source = self.options.source
        parts = (text, str(sorted(defines.items())), [os.fspath(each) for each in source.files], source.lang)
        return lambda: parts

    def _arguments(self, declared: list[Declared] | None) -> tuple[list[dict[str, Any]], list[tuple[str, str]]]:
        """Returns the arguments of the spec, and for a function of the host types and names of its parameters."""
        given = list(self.options.arguments)
        if declared is not None and len(declared) != len(given):
            name = self.options.source.name
            raise wrong(f"the kernel `{name}` has {len(declared)} parameters", f"{len(given)} arguments")
        names = self._names(declared, len(given))
        arguments: list[dict[str, Any]] = []
        wrapped: list[tuple[str, str]] = []
        for position, (name, each) in enumerate(zip(names, given)):
            value = contiguous(position, each)
            array = array_from(name, value)
            if array is None:
                scalar = scalar_from(name, value)
                arguments.append({"name": name, "kind": "scalar", "type": scalar.type, "value": scalar.text})
                wrapped.append((_C_TYPES[scalar.type], f"wattune_argument{position}"))
                continue
            self.arrays[position] = array
            is_answered = self._answers is not None and self._answers[position] is not None
            is_written = is_answered or declared is None or not declared[position].is_constant
            if is_written:
                self.outputs.append(Output(position, name, array.type, array.shape))
            arguments.append({
                "name": name, "kind": "vector", "type": array.type, "value": str(array.length),
                "contents": array.copy(), "access": "readwrite" if is_written else "read", "compared": False,
            })  # fmt: skip
            const = "" if is_written else "const "
            wrapped.append((f"{const}{_C_TYPES[array.type]}*", f"wattune_argument{position}"))
        return arguments, wrapped

    def _names(self, declared: list[Declared] | None, count: int) -> list[str]:
        names = [each.name for each in declared] if declared is not None else []
        if len(set(names)) != count or any(name in self.parameters for name in names):
            return [f"argument{position}" for position in range(count)]
        return names

    def _memory(self) -> list[dict[str, Any]]:
        """Returns dynamic shared memory and constant symbols, which CUDA has besides the arguments."""
        found: list[dict[str, Any]] = []
        smem, cmem = self.options.smem_args, self.options.cmem_args
        if smem:
            if set(smem) != {"size"}:
                raise wrong("smem_args holds `size`, the bytes of dynamic shared memory", list(smem))
            size = smem["size"]
            text = self.expression(
                "shared_bytes", _size_function(size) if not hasattr(size, "__index__") else int(size)
            )
            found.append({"name": "shared", "kind": "local", "type": "char", "value": text})
        for name, given in (cmem or {}).items():
            array = array_from(name, _at_least_1d(contiguous(len(self.arrays), given)))
            if array is None:
                raise wrong(f"the constant symbol `{name}` needs an array", type(given).__name__)
            found.append({
                "name": name, "kind": "vector", "type": array.type, "value": str(array.length), "constant": True,
                "contents": array.copy(), "access": "read", "compared": False,
            })  # fmt: skip
        return found

    def host_outputs(self, outputs: Mapping[str, Any]) -> list[Any]:
        """Returns the outputs of a run by position, None for what the kernel does not write."""
        by_position: list[Any] = [None] * len(self.options.arguments)
        for each in self.outputs:
            by_position[each.position] = outputs[each.name]
        return by_position

    def after(self, outputs: Mapping[str, Any]) -> list[Any]:
        """Returns all arguments after a run: arrays of the caller's kind, numbers as they were given."""
        found = self.host_outputs(outputs)
        return [_like(given, output) for given, output in zip(self.options.arguments, found)]

    def close(self) -> None:
        """Removes the files that were written for the compilers."""
        self._writer.close()


def _at_least_1d(given: Any) -> Any:
    return given.reshape(1) if hasattr(given, "reshape") and not getattr(given, "shape", (1,)) else given


def _size_function(size: Any) -> Any:
    called: Any = size
    if callable(size):
        return lambda wattune_configuration: int(called(wattune_configuration))
    return lambda wattune_configuration: int(evaluated(size, wattune_configuration))


def _like(given: Any, output: Any) -> Any:
    """Returns an output as an array of the kind that was given; what was not written is copied."""
    import numpy

    if not is_array(given):
        return given
    if hasattr(given, "detach"):
        torch = sys.modules["torch"]
        return given.cpu().clone() if output is None else torch.from_numpy(numpy.array(output)).view(given.dtype)
    is_on_device = hasattr(given, "__cuda_array_interface__")
    if output is None:
        return given.copy()
    host = numpy.array(output)
    if host.dtype != given.dtype:
        host = host.view(given.dtype)
    host = host.reshape(given.shape)
    return sys.modules[type(given).__module__.partition(".")[0]].asarray(host) if is_on_device else host
