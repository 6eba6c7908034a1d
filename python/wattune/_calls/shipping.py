"""Functions, kernels and values for another process: by their source or code, with the globals that they read.

A worker so runs a kernel of a script, a notebook or a module alike, and executes nothing else of them. Only what cannot
be rebuilt this way is imported from its module. Messages are trees of tuples, whose first member names the kind.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.util
import inspect
import linecache
import marshal
import pickle
import sys
import types
from collections.abc import Callable
from typing import Any

Shipped = tuple[Any, ...]
"""What ship() returns."""


class CannotShipError(Exception):
    """Something that another process cannot have; str() says what."""


def ship(value: object) -> Shipped:
    """Returns what unship() makes the value of, in another process. Raises CannotShipError."""
    return _Shipper().node(value)


def unship(shipped: Shipped) -> Any:
    """Returns the value that was shipped."""
    return _Receiver().value(shipped)


def _importable(module: str, name: str, value: object) -> bool:
    """Tells whether another process finds the value by importing a module that is installed or was imported."""
    home = sys.modules.get(module)
    if home is None or module == "__main__" or getattr(home, "__spec__", None) is None:
        return False
    found: object = home
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is value


def _top(module: str | None) -> str:
    return (module or "").partition(".")[0]


def _is_jit(value: object) -> bool:
    return type(value).__name__ in {"JITFunction", "GluonJITFunction"} and hasattr(value, "raw_src")


class _Shipper:
    def __init__(self) -> None:
        self._seen: dict[int, int] = {}
        self._kept: list[object] = []

    def node(self, value: object) -> Shipped:
        if isinstance(value, types.ModuleType):
            return "module", value.__name__, getattr(value, "__file__", None)
        if type(value) in (int, float, bool, str, bytes, complex, type(None)):
            return "value", value
        if id(value) in self._seen:
            return "seen", self._seen[id(value)]
        made = self._container(value) or self._code(value)
        if made is not None:
            return made
        return self._other(value)

    def _number(self, value: object) -> int:
        self._kept.append(value)
        return self._seen.setdefault(id(value), len(self._seen))

    def _container(self, value: object) -> Shipped | None:
        if type(value) in (tuple, list, set, frozenset):
            return type(value).__name__, [self.node(each) for each in value]  # type: ignore[attr-defined]
        if type(value) is dict:
            return "dict", [(self.node(name), self.node(each)) for name, each in value.items()]
        return None

    def _code(self, value: Any) -> Shipped | None:
        """Ships kernels and functions; returns None for all else."""
        if _is_jit(value):
            if _top(value.__module__) == "triton":
                return "attribute", value.__module__, value.__qualname__
            return self._jit(value)
        if type(value).__name__ == "ConstexprFunction" and isinstance(getattr(value, "fn", None), types.FunctionType):
            return self._jit(value)
        if type(value).__name__ == "constexpr" and _top(type(value).__module__) == "triton":
            return "constexpr", self.node(value.value)
        if isinstance(value, types.FunctionType):
            top = _top(value.__module__)
            if top in _INSTALLED and _importable(value.__module__, value.__qualname__, value):
                return "attribute", value.__module__, value.__qualname__
            try:
                return self._function(value)
            except CannotShipError:
                if _importable(value.__module__, value.__qualname__, value):
                    return "attribute", value.__module__, value.__qualname__
                raise
        if type(value).__name__ == "RawKernel" and _top(type(value).__module__) == "cupy":
            rest = {name: getattr(value, name) for name in ("options", "backend", "enable_cooperative_groups")}
            return "raw_kernel", value.code, value.name, rest
        return None

    def _other(self, value: Any) -> Shipped:
        name = getattr(value, "__qualname__", None)
        module = getattr(value, "__module__", None)
        if isinstance(name, str) and isinstance(module, str) and _importable(module, name, value):
            return "attribute", module, name
        try:
            content = pickle.dumps(value)
        except Exception as error:
            raise CannotShipError(f"{type(value).__name__} {str(value)[:60]!r} cannot be pickled ({error})") from None
        if _top(type(value).__module__) == "__main__":
            raise CannotShipError(f"its class {type(value).__name__} is defined in the script itself")
        return "pickle", content

    def _globals(self, names: set[str], scope: dict[str, Any]) -> list[tuple[str, Shipped]]:
        found = []
        for name in sorted(names):
            if name in scope:
                try:
                    found.append((name, self.node(scope[name])))
                except CannotShipError as error:
                    raise CannotShipError(f"the global {name}: {error}") from None
        return found

    def _function(self, function: types.FunctionType) -> Shipped:
        number = self._number(function)
        cells = []
        for cell in function.__closure__ or ():
            try:
                cells.append(self.node(cell.cell_contents))
            except ValueError:
                cells.append(("empty",))
        return (
            "function",
            number,
            marshal.dumps(function.__code__),
            function.__qualname__,
            [self.node(each) for each in function.__defaults__ or ()],
            [(name, self.node(each)) for name, each in (function.__kwdefaults__ or {}).items()],
            cells,
            self._globals(names_of(function.__code__), function.__globals__),
        )

    def _jit(self, kernel: Any) -> Shipped:
        """Ships the source of a kernel, which the other process places at the same lines of the same file."""
        number = self._number(kernel)
        tree = ast.parse(kernel.src)
        names = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}
        scope = {**kernel.__globals__, **inspect.getclosurevars(kernel.fn).nonlocals}
        options = {}
        for name in ("version", "do_not_specialize", "do_not_specialize_on_alignment", "debug", "noinline"):
            if getattr(kernel, name, None):
                options[name] = getattr(kernel, name)
        flags = kernel.fn.__code__.co_flags & 0x1000000  # from __future__ import annotations
        place = kernel.fn.__code__.co_filename, kernel.starting_line_number, list(kernel.raw_src)
        about = kernel.__module__, kernel.__qualname__, type(kernel).__module__, type(kernel).__name__
        return "jit", number, kernel.src, place, about, options, flags, self._globals(names, scope)


_INSTALLED = ("triton", "torch", "numpy", "cupy", "numba", "wattune", *sys.stdlib_module_names)


def names_of(code: types.CodeType) -> set[str]:
    """Returns the names that a function and those within it read."""
    names = {*code.co_names, *code.co_freevars}
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            names |= names_of(each)
    return names


class _Receiver:
    def __init__(self) -> None:
        self._made: dict[int, Any] = {}

    def value(self, node: Shipped) -> Any:
        make: Callable[..., Any] = getattr(self, "_" + node[0])
        return make(*node[1:])

    def _value(self, value: Any) -> Any:
        return value

    def _pickle(self, content: bytes) -> Any:
        return pickle.loads(content)

    def _seen(self, number: int) -> Any:
        return self._made[number]

    def _empty(self) -> Any:
        return None

    def _tuple(self, members: list[Shipped]) -> Any:
        return tuple(self.value(each) for each in members)

    def _list(self, members: list[Shipped]) -> Any:
        return [self.value(each) for each in members]

    def _set(self, members: list[Shipped]) -> Any:
        return {self.value(each) for each in members}

    def _frozenset(self, members: list[Shipped]) -> Any:
        return frozenset(self.value(each) for each in members)

    def _dict(self, items: list[tuple[Shipped, Shipped]]) -> Any:
        return {self.value(name): self.value(each) for name, each in items}

    def _module(self, name: str, file: str | None) -> Any:
        try:
            return importlib.import_module(name)
        except ImportError:
            if file is None:
                raise
            spec = importlib.util.spec_from_file_location(name, file)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
            return module

    def _attribute(self, module: str, name: str) -> Any:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
        return found

    def _constexpr(self, node: Shipped) -> Any:
        from triton.language import constexpr

        return constexpr(self.value(node))

    def _raw_kernel(self, code: str, name: str, rest: dict[str, Any]) -> Any:
        import cupy

        return cupy.RawKernel(code, name, **rest)

    def _function(
        self,
        number: int,
        code: bytes,
        name: str,
        defaults: list[Shipped],
        keyword_defaults: list[tuple[str, Shipped]],
        cells: list[Shipped],
        names: list[tuple[str, Shipped]],
    ) -> Any:
        scope: dict[str, Any] = {"__builtins__": builtins, "__name__": "wattune_shipped"}
        closure = tuple(types.CellType() for _ in cells)
        function = types.FunctionType(marshal.loads(code), scope, name, None, closure)
        self._made[number] = function
        for each, node in names:
            scope[each] = self.value(node)
        for cell, node in zip(closure, cells):
            if node[0] != "empty":
                cell.cell_contents = self.value(node)
        function.__defaults__ = tuple(self.value(each) for each in defaults)
        function.__kwdefaults__ = {each: self.value(node) for each, node in keyword_defaults}
        return function

    def _jit(
        self,
        number: int,
        source: str,
        place: tuple[str, int, list[str]],
        about: tuple[str, str, str, str],
        options: dict[str, Any],
        flags: int,
        names: list[tuple[str, Shipped]],
    ) -> Any:
        file, first, lines = place
        module, name, *home = about
        _put_lines(file, first, lines)
        scope: dict[str, Any] = {"__builtins__": builtins, "__name__": module}
        # A kernel may call itself or one that calls it: those names are set once it exists.
        for each, node in names:
            if node[0] != "seen" or node[1] in self._made:
                scope[each] = self.value(node)
        decorators = next(i for i, line in enumerate(lines) if line.lstrip().startswith("def "))
        code = compile("\n" * (first + decorators - 1) + source, file, "exec", flags=flags, dont_inherit=True)
        exec(code, scope)
        function = scope[name.rpartition(".")[2]]
        function.__code__ = function.__code__.replace(co_firstlineno=first)
        function.__qualname__, function.__module__ = name, module
        kernel = getattr(importlib.import_module(home[0]), home[1])(function, **options)
        self._made[number] = kernel
        for each, node in names:
            if each not in scope or node[0] == "seen":
                scope[each] = self.value(node)
        return kernel


def _put_lines(file: str, first: int, lines: list[str]) -> None:
    """Has the interpreter find these lines of a file, which may have changed since, or be a notebook's cell."""
    known = list(linecache.getlines(file))
    known += ["\n"] * (first - 1 + len(lines) - len(known))
    known[first - 1 : first - 1 + len(lines)] = lines
    linecache.cache[file] = sum(map(len, known)), None, known, file
