"""Restrictions as constraints: texts, functions, objects of python-constraint."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from .. import _core
from .._errors import Error, wrong
from .geometry import DEFAULT_BLOCK_SIZE_NAMES, Params, evaluated

Constraint = Any
"""A text or a function, as wattune.tune() takes it."""


def _is_understood(text: str, parameters: Sequence[str]) -> bool:
    """Tells whether the library's own expressions have the text; the others are evaluated by Python."""
    try:
        _core.Space({name: [1] for name in parameters}, [text], [], {})
    except Error as error:
        return error.code not in ("parse_error", "not_found")
    return True


def _python(text: str) -> Callable[[Params], bool]:
    def holds(params: Params) -> bool:
        return bool(evaluated(text, {name: _shown(value) for name, value in params.items()}))

    return holds


def _shown(value: Any) -> Any:
    return repr(value) if isinstance(value, str) else value


def _of_keywords(function: Callable[..., object]) -> Callable[[Params], bool]:
    """Calls a function in the way that its parameters ask for: with the configuration as a dict, or by keywords."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    required = [each for each in parameters if each.default is each.empty and each.kind is not each.VAR_KEYWORD]
    if len(required) == 1 and required[0].kind is not required[0].VAR_POSITIONAL:
        only = required[0].name
        return lambda params: bool(function(params[only] if only in params else dict(params)))
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return lambda params: bool(function(**params))
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return lambda params: bool(function(*params.values()))
    names = [each.name for each in parameters]
    return lambda params: bool(function(**{name: params[name] for name in names if name in params}))


def _of_constraint(constraint: Any, names: Sequence[str]) -> Callable[[Params], bool]:
    """Asks an object of python-constraint about complete configurations."""

    def holds(params: Params) -> bool:
        chosen = {name: params[name] for name in names}
        return bool(constraint(list(names), {name: [value] for name, value in chosen.items()}, chosen))

    return holds


def _with_one_parameter(function: Callable[[Params], bool], of: object) -> Callable[[Params], bool]:
    """Keeps what tells functions apart: the original in the closure."""

    def restriction(wattune_configuration: Params) -> bool:
        return function(wattune_configuration) and of is not NotImplemented

    return restriction


def _one(given: Any, parameters: Sequence[str]) -> Constraint:
    if isinstance(given, str):
        return given if _is_understood(given, parameters) else _with_one_parameter(_python(given), given)
    if isinstance(given, (tuple, list)) and _names_parameters(given):
        condition, names = given[0], list(given[1])
        unknown = [name for name in names if name not in parameters]
        if unknown:
            raise wrong("a restriction reads what is no parameter", ", ".join(unknown))
        if isinstance(condition, str):
            return _one(condition, parameters)
        if _is_constraint(condition):
            return _with_one_parameter(_of_constraint(condition, names), condition)
        return _with_one_parameter(lambda params: bool(condition(*(params[name] for name in names))), condition)
    if _is_constraint(given):
        return _with_one_parameter(_of_constraint(given, parameters), given)
    if callable(given):
        return _with_one_parameter(_of_keywords(given), given)
    raise wrong("a restriction is a text, a function or a constraint", repr(given))


def _names_parameters(given: Sequence[Any]) -> bool:
    """Tells whether this is a condition with the names of the parameters that it reads, and not several of them."""
    return len(given) in (2, 3) and isinstance(given[1], (list, tuple))


def _is_constraint(given: object) -> bool:
    return any(each.__module__.partition(".")[0] == "constraint" for each in type(given).__mro__)


def constraints_from(restrictions: Any, parameters: Sequence[str], most_threads: int | None) -> list[Constraint]:
    """Returns restrictions as constraints of wattune.tune().

    As in Kernel Tuner, parameters of the default names for the block together stay within `most_threads`.
    """
    if restrictions is None:
        given: list[Any] = []
    elif isinstance(restrictions, list) or (isinstance(restrictions, tuple) and not _names_parameters(restrictions)):
        given = list(restrictions)
    else:
        given = [restrictions]
    found = [_one(each, parameters) for each in given]
    sizes = [name for name in DEFAULT_BLOCK_SIZE_NAMES if name in parameters]
    if sizes and most_threads is not None:
        found.append(f"{' * '.join(sizes)} <= {most_threads}")
    return found
