"""Python functions in the place of texts: which parameters they read, and what tells one from another."""

from __future__ import annotations

import types

from ._errors import wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_PLAIN = (int, float, str, bytes, bool, type(None), complex)


def _hash(content: bytes) -> str:
    import hashlib  # loads a library of its own

    return hashlib.sha256(content).hexdigest()


def _describe_value(value: object, seen: set[int]) -> str:
    """Returns a text that is equal for equal values, in every process."""
    if isinstance(value, _PLAIN):
        return repr(value)
    if id(value) in seen:
        return type(value).__qualname__
    seen.add(id(value))
    if isinstance(value, types.CodeType):
        return _describe_code(value, seen)
    if isinstance(value, types.FunctionType):
        return _describe_function(value, seen)
    if isinstance(value, (tuple, list)):
        return f"[{','.join(_describe_value(each, seen) for each in value)}]"
    if isinstance(value, (dict, set, frozenset)):
        items = value.items() if isinstance(value, dict) else value
        return f"{{{','.join(sorted(_describe_value(each, seen) for each in items))}}}"
    array: Any = value
    if hasattr(array, "tobytes") and hasattr(array, "dtype"):
        return f"{array.dtype}{_hash(array.tobytes())}"
    name = getattr(value, "__qualname__", None)
    if name is not None:
        return f"{getattr(value, '__module__', '')}.{name}"
    members = getattr(value, "__dict__", None)
    described = _describe_value(members, seen) if isinstance(members, dict) else ""
    return f"{type(value).__qualname__}{described}"


def _describe_code(code: types.CodeType, seen: set[int]) -> str:
    constants = ",".join(_describe_value(each, seen) for each in code.co_consts)
    return f"{code.co_code.hex()}({constants})({','.join(code.co_names)})"


def _describe_function(function: types.FunctionType, seen: set[int]) -> str:
    cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
    read = [function.__globals__[name] for name in function.__code__.co_names if name in function.__globals__]
    plain = [each for each in read if isinstance(each, (*_PLAIN, tuple, types.FunctionType))]
    parts = [_describe_code(function.__code__, seen)]
    parts += [_describe_value(each, seen) for each in (cells, function.__defaults__, function.__kwdefaults__, plain)]
    return ";".join(parts)


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - raises for an empty cell
    except ValueError:
        return False
    return True


def name_of(function: Callable[..., object]) -> str:
    """Returns the name of a function, for messages."""
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) else type(function).__name__


def describe(function: Callable[..., object]) -> str:
    """Returns a text that differs if code, constants, closure or defaults of the function do.

    The code of another Python version has another text.
    """
    if isinstance(function, types.MethodType):
        text = _describe_value([function.__func__, function.__self__], set())
    else:
        text = _describe_value(function, set())
    return f"{name_of(function)} {_hash(text.encode())[:16]}"


def _parameter_names(function: Callable[..., object]) -> list[str] | None:
    """Returns the names of the positional parameters; None if the function does not tell."""
    from inspect import Parameter, signature

    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(each.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD) for each in parameters):
        return None
    return [each.name for each in parameters if each.default is Parameter.empty]


def predicate(
    function: Callable[..., object], parameters: Sequence[str]
) -> tuple[list[str], Callable[..., object], str]:
    """Returns the names that a constraint reads, a function of their values, and its description.

    A function whose parameters are names of tuning parameters gets their values. Any other function of one parameter
    gets the whole configuration as a dict.
    """
    names = _parameter_names(function)
    if names and all(each in parameters for each in names):
        return names, function, describe(function)
    if names is not None and len(names) != 1:
        unknown = [each for each in names if each not in parameters]
        raise wrong(
            f"the constraint {name_of(function)} reads what is no parameter",
            ", ".join(unknown),
            "its parameters are names of tuning parameters, or one for the whole configuration",
        )
    every = list(parameters)

    def of_configuration(*values: object) -> object:
        return function(dict(zip(every, values)))

    return every, of_configuration, describe(function)


def split_constraints(
    constraints: Sequence[object] | str | Callable[..., object], parameters: Sequence[str]
) -> tuple[list[str], list[tuple[list[str], Callable[..., object], str]]]:
    """Divides constraints into texts and functions."""
    given: Sequence[Any] = [constraints] if isinstance(constraints, str) or callable(constraints) else constraints
    texts: list[str] = []
    functions = []
    for each in given:
        if isinstance(each, str):
            texts.append(each)
        elif callable(each):
            functions.append(predicate(each, parameters))
        else:
            raise wrong("a constraint is a text or a function", repr(each))
    return texts, functions
