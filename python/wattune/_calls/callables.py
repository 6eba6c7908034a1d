"""autotune(): functions that launch a kernel in a configuration, such as one of CuPy, Numba or a PyTorch extension."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from math import log
from types import FunctionType
from typing import Any

from .. import _core
from .._errors import wrong
from .._functions import describe
from .._space import Space
from .._types import Configuration, Constraint
from . import arrays
from .bench import Job
from .choosing import Budget, Call, choose, tune
from .shipping import Shipped, ship, unship
from .winners import LIST, Kernel, Key, Winners

_SCALARS = frozenset((int, float, bool, str, type(None)))


@dataclasses.dataclass
class CallableLauncher:
    """A function of a configuration and arguments, in another process."""

    function: Shipped
    _opened: Any = None

    def open(self) -> CallableLauncher:
        """Rebuilds the function in this process."""
        return dataclasses.replace(self, _opened=unship(self.function))

    def configuration(self, candidate: Configuration) -> Configuration:
        return candidate

    def prepare(self, arguments: dict[str, Any], candidate: Configuration) -> tuple[None, Callable[[], None]]:
        """Returns no hook, and the launch."""

        def launch() -> None:
            self._opened(dict(candidate), **arguments)

        return None, launch


class Tunable:
    """A function that is called without its configuration, which is chosen by what is known or by tuning. autotune()
    makes it."""

    def __init__(
        self,
        function: Callable[..., Any],
        space: Space,
        key: Sequence[str],
        *,
        outputs: Sequence[str] | None,
        check: Callable[..., object] | None,
        winners: Winners,
        budget: Budget,
        cold: bool,
        restore: Sequence[str],
    ) -> None:
        functools.update_wrapper(self, function)
        _core.expect_leaks()
        parameters = list(inspect.signature(function).parameters.values())
        if not parameters:
            raise wrong(f"{function.__name__} needs a parameter for the configuration, before its arguments")
        self._function = function
        self._space = space
        self._names = [each.name for each in parameters[1:]]
        self._signature = inspect.Signature(parameters[1:])
        unknown = [name for name in (*key, *(outputs or ()), *restore) if name not in self._names]
        if unknown:
            raise wrong(f"{function.__name__} has no such argument", ", ".join(unknown))
        self._keyed = [(self._names.index(name), name) for name in key]
        self._outputs = None if outputs is None else list(outputs)
        self._restore = list(restore)
        self._check = check
        self._winners = winners
        self._budget = budget
        self._cold = cold
        self._ready: dict[tuple[Any, ...], Configuration] = {}
        self.best_configuration: Configuration | None = None
        """The configuration of the last call."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Launches in the best known configuration, and tunes first if that is due. Returns what the function does."""
        count = len(args)
        quick: list[Any] = [args[at] if at < count else kwargs.get(name) for at, name in self._keyed]
        for each in (*args, *kwargs.values()):
            if each.__class__ not in _SCALARS and hasattr(each, "dtype"):
                quick += (str(each.dtype), getattr(each, "strides", None) or _stride(each), _where(each))
        configuration = self._ready.get(tuple(quick))
        if configuration is None:
            configuration = self._choose(tuple(quick), args, kwargs)
        self.best_configuration = configuration
        return self._function(configuration, *args, **kwargs)

    def _choose(self, quick: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Configuration:
        call = self._call(self._named(args, kwargs))
        capturing = call.capturing()
        known = choose(call, self._winners, self._budget, may_tune=not capturing)
        configuration = dict(call.default) if known is None else known.configuration
        if not capturing:
            self._ready[quick] = configuration
        return configuration

    def _named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return dict(bound.arguments)

    def prepare(self, *args: Any, **kwargs: Any) -> Configuration:
        """Tunes the key of a call, unless it is known, and returns the winner. It launches nothing in this process."""
        return tune(self._call(self._named(args, kwargs)), self._winners, self._budget).configuration

    def _call(self, named: dict[str, Any]) -> Call:
        described = arrays.Described(named)
        library = described.library
        if library is None:
            known = ", ".join(arrays.LIBRARIES)
            raise wrong(
                f"{self._function.__name__} got no array of {known}", hint="its configurations are timed on a GPU"
            )
        module = arrays.library(library)

        def job() -> Job:
            return Job(
                library,
                CallableLauncher(ship(self._function)),
                described.nodes,
                described.with_contents(),
                self._outputs,
                None if self._check is None else ship(self._check),
                [],
                self._restore,
                self._cold,
                arrays.LIBRARIES[library],
                False,
            )

        return Call(
            _kernel_of(self._function, library),
            self._key(named),
            module.device(),
            self._space,
            self._space.default_configuration(),
            job,
            lambda configuration: configuration,
            [arrays.LIBRARIES[library], library],
            finish=module.finish,
            capturing=module.capturing,
        )

    def _key(self, named: Mapping[str, Any]) -> Key:
        key: Key = {}
        for _, name in self._keyed:
            value = named[name]
            key[name] = value if isinstance(value, (bool, int, float, str)) else repr(value)
        key.update(arrays.types_and_layouts(arrays.kinds(named)))
        key[LIST] = self._space.content_hash()[:8]
        return key


def _stride(array: Any) -> Any:
    stride = getattr(array, "stride", None)
    return stride() if callable(stride) else None


def _where(array: Any) -> Any:
    return str(getattr(array, "device", ""))


def _kernel_of(function: Any, library: str) -> Kernel:
    """Returns what identifies a function: its source, with the texts, numbers and functions that it reads."""
    version = getattr(sys.modules.get(library), "__version__", "")
    compiler = hashlib.sha256(f"{library} {version}".encode()).hexdigest()[:16]
    return Kernel(
        function.__qualname__, hashlib.sha256(_source_of(function, set()).encode()).hexdigest()[:16], compiler
    )


def _source_of(function: Any, seen: set[int]) -> str:
    if id(function) in seen:
        return str(function.__qualname__)
    seen.add(id(function))
    try:
        parts = [inspect.getsource(function)]
    except (OSError, TypeError):
        return describe(function)
    for name in sorted(set(function.__code__.co_names)):
        value: Any = function.__globals__.get(name)
        if isinstance(value, FunctionType):
            parts.append(_source_of(value, seen))
        elif isinstance(value, (int, float, str)):
            parts.append(f"{name}={value!r}")
        elif isinstance(getattr(value, "code", None), str):  # a RawKernel
            parts.append(f"{name}={value.code}")
    return "\n".join(parts)


def autotune(
    parameters: Mapping[str, Any] | Space,
    constraints: Sequence[Constraint] | Constraint = (),
    *,
    key: Sequence[str] = (),
    default: Mapping[str, object] | None = None,
    outputs: Sequence[str] | None = None,
    check: Callable[..., object] | None = None,
    restore: Sequence[str] = (),
    wisdom: str | os.PathLike[str] | None = None,
    seconds: float | None = None,
    evaluations: int | None = None,
    strategy: str = "",
    cache: str = "cold",
    nearest: float = 2.0,
) -> Callable[[Callable[..., Any]], Tunable]:
    """Decorates a function whose first parameter is a configuration, a dict, and which launches a kernel in it.

        @wattune.autotune({"BLOCK": [64, 128, 256]}, key=["n"], outputs=["y"])
        def scale(configuration, x, y, n):
            block = configuration["BLOCK"]
            kernel((-(-n // block),), (block,), (x, y, n))

        scale(x, y, n)

    Candidates run in a worker process, on arrays of PyTorch, CuPy or Numba like those of the call. `restore` names
    arguments whose contents are restored before each launch. All else is as in wattune.triton.autotune. A worker needs
    PyTorch. Raises InvalidArgumentError. docs/triton.md describes it all.
    """
    if cache not in ("cold", "warm"):
        raise wrong("cache is cold or warm", cache)
    if nearest < 1:
        raise wrong("nearest is a factor of at least 1", nearest)
    space = parameters if isinstance(parameters, Space) else Space(parameters, constraints, default=default)

    def decorate(function: Callable[..., Any]) -> Tunable:
        return Tunable(
            function,
            space,
            key,
            outputs=outputs,
            check=check,
            winners=Winners(wisdom, log(nearest)),
            budget=Budget(evaluations, seconds, strategy),
            cold=cache == "cold",
            restore=restore,
        )

    return decorate
