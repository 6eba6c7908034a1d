"""A tuning problem: a kernel and its arguments as the library's spec."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._arguments import Array, Scalar, array_from, numpy_array, scalar_from
from ._errors import wrong
from ._functions import describe, predicate, split_constraints
from ._signature import Declared, parameters_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._types import Configuration, Constraint, Dimensions, Expression

_LANGUAGES = {".cl": "OpenCL", ".ocl": "OpenCL", ".opencl": "OpenCL", ".cu": "CUDA", ".cuh": "CUDA", ".ptx": "CUDA",
              ".cubin": "CUDA", ".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".C": "C++", ".c": "C"}  # fmt: skip
_AXES = "xyz"


class Local(NamedTuple):
    """Local memory of a kernel (CUDA: dynamic shared memory): `length` elements of a type such as "float"."""

    type: str
    length: Expression


class Number(NamedTuple):
    """A scalar argument whose value is an expression or a function of the configuration, of a type such as "int"."""

    type: str
    value: Expression


class Computed(NamedTuple):
    """A value that a function computes from a configuration, as the library takes it."""

    name: str
    function: Callable[[Configuration], object]
    description: str
    is_macro: bool


class Output(NamedTuple):
    """An argument that the kernel writes."""

    position: int
    name: str
    type: str
    shape: tuple[int, ...]


def of_configuration(function: Callable[..., object], parameters: Sequence[str]) -> Callable[[Configuration], object]:
    """Returns a function of the whole configuration that calls this one, as constraints are called."""
    names, called, _ = predicate(function, parameters)
    return lambda configuration: called(*(configuration[name] for name in names))


def _dimension(value: object, axis: int) -> object:
    if isinstance(value, (tuple, list)):
        return value[axis] if axis < len(value) else 1
    return value if axis == 0 else 1


class Problem:
    """A kernel with its arguments and parameters; `spec` is what the library gets."""

    def __init__(self) -> None:
        self.description: dict[str, Any] = {}
        self.computed: list[Computed] = []
        self.writer: tuple[Callable[..., object], str] | None = None
        self.predicates: list[tuple[list[str], Callable[..., object], str]] = []
        self.outputs: list[Output] = []
        self.file: str | None = None
        self.parameters: list[str] = []
        self._spec: _core.Spec | None = None

    @property
    def spec(self) -> _core.Spec:
        """The library's spec, made once."""
        if self._spec is None:
            self._spec = _core.describe(self.description)
        return self._spec

    def take_spec(self, spec: _core.Spec) -> None:
        """Takes a spec that was read from a file."""
        self._spec = spec
        self.parameters = list(spec.parameters())
        for position, (name, kind, type_, is_written) in enumerate(spec.arguments()):
            if kind == "vector" and is_written:
                self.outputs.append(Output(position, name, type_, (-1,)))

    def expression(self, name: str, given: Expression) -> str:
        """Returns the text of an expression; a function becomes a computed value of this name."""
        if callable(given):
            self.computed.append(Computed(name, of_configuration(given, self.parameters), describe(given), False))
            return name
        if isinstance(given, str):
            return given
        if hasattr(given, "__index__"):
            return str(int(given))
        raise wrong(f"`{name}` is neither a number, a text nor a function", repr(given))

    def dimensions(self, name: str, given: Dimensions | None) -> list[str]:
        """Returns the texts of one to three expressions."""
        if given is None:
            return []
        if callable(given):
            whole = of_configuration(given, self.parameters)
            for axis, letter in enumerate(_AXES):
                function = lambda configuration, at=axis: _dimension(whole(configuration), at)  # noqa: E731
                self.computed.append(Computed(f"{name}_{letter}", function, describe(given), False))
            return [f"{name}_{letter}" for letter in _AXES]
        if isinstance(given, str) or not isinstance(given, Sequence):
            return [self.expression(f"{name}_x", given)]
        if not 1 <= len(given) <= len(_AXES):
            raise wrong(f"`{name}` has one to three dimensions", repr(given))
        return [self.expression(f"{name}_{letter}", each) for letter, each in zip(_AXES, given)]

    def fixed(self, configuration: Configuration) -> _core.Spec:
        """Returns the spec with this configuration alone, and what functions compute for it."""
        if not self.computed and self.writer is None:
            return _core.fixed(self.spec, configuration)
        description = dict(self.description)
        values = {each.name: each.function(configuration) for each in self.computed}
        literal = re.compile(r"\b(" + "|".join(map(re.escape, values)) + r")\b") if values else None

        def replaced(text: str) -> str:
            return literal.sub(lambda match: str(values[match.group()]), text) if literal else text

        for key in ("grid", "block"):
            description[key] = [replaced(text) for text in description[key]]
        description["arguments"] = [
            {**each, "value": replaced(each.get("value", ""))} for each in description["arguments"]
        ]
        if self.writer is not None:
            description["text"] = self.writer[0](configuration)
        return _core.fixed(_core.describe(description), configuration)

    def output_arrays(self, raw: Sequence[bytes]) -> dict[str, Any]:
        """Returns the outputs of a run by name, as NumPy arrays if NumPy is there."""
        return {each.name: numpy_array(raw[each.position], each.type, each.shape) for each in self.outputs}


def _is_text(kernel: str) -> bool:
    return any(character in kernel for character in "\n{;")


def _language_of(text: str) -> str:
    if re.search(r"\b__global__\b", text):
        return "CUDA"
    if re.search(r"\b(__kernel|kernel)\s+", text):
        return "OpenCL"
    return "C++"


class _Source(NamedTuple):
    text: str
    file: str
    function: str
    language: str
    options: list[str]
    writer: Callable[..., object] | None


def _source_of(kernel: Any, function: str | None, language: str | None, options: Sequence[str],
               first: Configuration, parameters: Sequence[str]) -> _Source:  # fmt: skip
    """Returns the source of what the caller gave: a text, a file, a function of the configuration, or a RawKernel."""
    file = ""
    writer = None
    if hasattr(kernel, "code") and hasattr(kernel, "name"):  # CuPy's RawKernel
        text, function, language = kernel.code, function or kernel.name, language or "CUDA"
        options = [*options, *getattr(kernel, "options", ())]
    elif callable(kernel):
        writer = of_configuration(kernel, parameters)
        written = writer(first)
        if not isinstance(written, str):
            raise wrong("the source returned something else", repr(written), "it returns a text")
        text = written
    elif isinstance(kernel, str) and _is_text(kernel):
        text = kernel
    elif isinstance(kernel, (str, os.PathLike)):
        file = os.path.abspath(os.fspath(kernel))
        try:
            with open(file, encoding="utf-8") as source:
                text = source.read()
        except OSError as error:
            raise _core_not_found(file, error) from None
        except UnicodeError:
            raise wrong("the source is no text in UTF-8", file) from None
        language = language or _LANGUAGES.get(os.path.splitext(file)[1])
    else:
        raise wrong("the kernel is a text, a file, a function of the configuration or a spec", type(kernel).__name__)
    if not function:
        raise wrong("which function of the source is the kernel is not said", hint='tune(source, "name", ...)')
    return _Source(text, file, function, language or _language_of(text), list(options), writer)


def _core_not_found(file: str, error: OSError) -> Exception:
    from ._errors import exception

    reason = error.strerror or str(error)
    return exception("not_found", f"{file}: {reason}", {"message": reason, "file": file})


def _named(arguments: Mapping[str, Any] | Sequence[Any], declared: list[Declared] | None,
           function: str) -> list[tuple[str, Any, Declared | None]]:  # fmt: skip
    """Returns name, value and declaration of each argument."""
    if isinstance(arguments, Mapping):
        names, values = list(arguments), list(arguments.values())
    else:
        values = list(arguments)
        names = [each.name for each in declared] if declared else [f"argument{i}" for i in range(len(values))]
    passed = [each for each in values if not isinstance(each, Local)]
    if declared is not None and len(declared) not in (len(values), len(passed)):
        raise wrong(f"the kernel `{function}` has {len(declared)} parameters", f"{len(values)} arguments")
    if declared is None or len(declared) != len(values):
        padded: list[Declared | None] = [None] * len(values)
        names += [f"argument{i}" for i in range(len(names), len(values))]
    else:
        padded = list(declared)
    return list(zip(names, values, padded))


class _Builder:
    """Makes the description of a problem from its arguments."""

    def __init__(self, problem: Problem, sizes: dict[str, int], outputs: Sequence[str] | None) -> None:
        self.problem = problem
        self.sizes = sizes
        self.outputs = outputs
        self.arguments: list[dict[str, Any]] = []
        self.arrays: dict[str, Array] = {}

    def add(self, name: str, given: Any, declared: Declared | None) -> None:
        if given is None:
            self.arguments.append({"name": name, "kind": "null"})
        elif isinstance(given, Local):
            text = self.problem.expression(f"{name}_length", given.length)
            self.arguments.append({"name": name, "kind": "local", "type": given.type, "value": text})
        elif isinstance(given, Number):
            text = self.problem.expression(f"{name}_value", given.value)
            self.arguments.append({"name": name, "kind": "scalar", "type": given.type, "value": text})
        else:
            array = array_from(name, given)
            if array is None:
                self._add_scalar(name, scalar_from(name, given))
            else:
                self._add_array(name, array, declared)

    def _add_scalar(self, name: str, scalar: Scalar) -> None:
        text = scalar.text
        is_size = isinstance(scalar.value, int) and -(2**63) <= scalar.value < 2**63
        if is_size and name not in self.problem.parameters and name.isidentifier():
            if self.sizes.setdefault(name, int(scalar.value)) != scalar.value:
                raise wrong(f"the size `{name}` differs from the argument of this name", self.sizes[name], text)
            text = name
        self.arguments.append({"name": name, "kind": "scalar", "type": scalar.type, "value": text})

    def _add_array(self, name: str, array: Array, declared: Declared | None) -> None:
        is_written = declared is None or not declared.is_constant
        is_output = is_written if self.outputs is None else name in self.outputs
        self.arrays[name] = array
        if is_output:
            self.problem.outputs.append(Output(len(self.arguments), name, array.type, array.shape))
        written = is_output or (is_written and declared is not None)
        self.arguments.append({
            "name": name, "kind": "vector", "type": array.type, "value": array.length, "contents": array.copy(),
            "access": "readwrite" if written else "read", "compared": is_output,
        })  # fmt: skip

    def finish(self) -> list[dict[str, Any]]:
        """Returns the arguments; the length of an array is a size's name if it has that size's value alone."""
        for name in self.outputs or ():
            if name not in self.arrays:
                raise wrong("an output is no array among the arguments", name, f"there are {', '.join(self.arrays)}")
        for argument in self.arguments:
            if argument["kind"] == "vector":
                same = [name for name, value in self.sizes.items() if value == argument["value"]]
                argument["value"] = same[0] if len(same) == 1 else str(argument["value"])
        return self.arguments


def answers_from(answer: Mapping[str, Any], outputs: Sequence[Output]) -> dict[str, _core.Contents]:
    """Returns the expected contents of outputs, checked against their types and lengths."""
    known = {each.name: each for each in outputs}
    contents = {}
    for name, expected in answer.items():
        output = known.get(name)
        if output is None:
            raise wrong("the answer names what is no output", name, f"there are {', '.join(known)}")
        array = array_from(name, expected)
        if array is None:
            raise wrong(f"the answer for `{name}` is no array", type(expected).__name__)
        if array.type != output.type:
            raise wrong(f"the answer for `{name}` has another type than the argument", array.type, f"not {output.type}")
        extent = 1
        for each in output.shape:
            extent *= each
        if extent >= 0 and array.length != extent:
            raise wrong(f"the answer for `{name}` has {array.length} elements", f"not {extent}")
        contents[name] = array.copy()
    return contents


def _values(name: str, given: Any) -> list[Any]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise wrong(f"the parameter `{name}` needs a list of values", repr(given))
    return list(given)


def is_spec(kernel: object) -> bool:
    """Tells whether the kernel is the file of a spec."""
    if not isinstance(kernel, (str, os.PathLike)):
        return False
    name = os.fspath(kernel)
    return not _is_text(name) and os.path.splitext(name)[1] in (".toml", ".json")


def from_file(
    kernel: str | os.PathLike[str],
    *,
    sizes: Mapping[str, int],
    constraints: Sequence[Constraint] | Constraint,
    goals: dict[str, Any],
    needs_source: bool,
) -> Problem:
    """Loads a spec."""
    problem = Problem()
    problem.file = os.fspath(kernel)
    texts = [each for each in _as_list(constraints) if isinstance(each, str)]
    spec = _core.load(problem.file, dict(sizes), {**goals, "constraints": texts}, needs_source)
    problem.take_spec(spec)
    _, problem.predicates = split_constraints(constraints, problem.parameters)
    return problem


def _as_list(constraints: Sequence[Constraint] | Constraint) -> list[Constraint]:
    if isinstance(constraints, str) or callable(constraints):
        return [constraints]
    return list(constraints)


def from_kernel(
    kernel: Any,
    function: str | None,
    arguments: Mapping[str, Any] | Sequence[Any],
    parameters: Mapping[str, Any],
    *,
    outputs: Sequence[str] | None,
    block: Dimensions | None,
    grid: Dimensions | None,
    shared: Expression | None,
    sizes: Mapping[str, int],
    constraints: Sequence[Constraint] | Constraint,
    default: Mapping[str, object],
    answer: Mapping[str, Any] | None,
    language: str | None,
    options: Sequence[str],
    compiler: str | None,
    returned_time: str | None,
    goals: dict[str, Any],
) -> Problem:
    """Describes a kernel and its arguments."""
    problem = Problem()
    values = {name: _values(name, each) for name, each in parameters.items()}
    problem.parameters = list(values)
    first: Any = {name: default.get(name, each[0]) for name, each in values.items() if each}
    source = _source_of(kernel, function, language, options, first, problem.parameters)
    if source.writer is not None:
        problem.writer = (source.writer, describe(kernel))
    texts, problem.predicates = split_constraints(constraints, problem.parameters)
    named_sizes = {name: int(value) for name, value in sizes.items()}
    builder = _Builder(problem, named_sizes, [outputs] if isinstance(outputs, str) else outputs)
    for name, given, declared in _named(arguments, parameters_of(source.text, source.function), source.function):
        builder.add(name, given, declared)
    if shared is not None:
        builder.add("shared", Local("char", shared), None)
    problem.description = {
        "name": source.function, "language": source.language, "function": source.function, "text": source.text,
        "file": source.file, "options": source.options, "compiler": compiler or "",
        "returned_time": returned_time or "",
        "grid": problem.dimensions("grid", grid), "block": problem.dimensions("block", block),
        "arguments": builder.finish(), "sizes": named_sizes, "parameters": values, "defaults": dict(default),
        "constraints": texts, "answers": answers_from(answer or {}, problem.outputs), **goals,
    }  # fmt: skip
    return problem


def problem_from(kernel: Any, function: str | None, arguments: Any, parameters: Any, *, goals: dict[str, Any],
                 sizes: Mapping[str, int] | None, constraints: Any, needs_source: bool,
                 answer: Mapping[str, Any] | None, **described: Any) -> Problem:  # fmt: skip
    """Returns the problem of what the caller gave: a kernel with its arguments, or the file of a spec."""
    if isinstance(kernel, Problem):  # of wattune.kernel_tuner, complete
        return kernel
    if is_spec(kernel):
        if function is not None or arguments is not None or parameters is not None:
            raise wrong("a spec has function, arguments and parameters of its own", os.fspath(kernel))
        problem = from_file(kernel, sizes=sizes or {}, constraints=constraints, goals=goals, needs_source=needs_source)
        if answer:
            answers_from(answer, problem.outputs)
            raise wrong("the answer of a spec stands in its [reference]", os.fspath(kernel))
        return problem
    return from_kernel(kernel, function, () if arguments is None else arguments, parameters or {}, sizes=sizes or {},
                       constraints=constraints, goals=goals, answer=answer, **described)  # fmt: skip
