"""The parameters of a kernel, read from its source."""

from __future__ import annotations

import re
from typing import NamedTuple


class Declared(NamedTuple):
    """A parameter of a function, as its source declares it."""

    name: str
    is_pointer: bool
    is_constant: bool


def _without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)


def _matching(text: str, at: int) -> int:
    """Returns the position of the parenthesis that closes the one at `at`; -1 if there is none."""
    depth = 0
    for position in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return -1


def _split(parameters: str) -> list[str]:
    parts = [""]
    depth = 0
    for character in parameters:
        depth += {"(": 1, "<": 1, "[": 1, ")": -1, ">": -1, "]": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _declared(parameter: str) -> Declared | None:
    is_pointer = "*" in parameter or "[" in parameter
    names = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^\]]*\]|=.*$", "", parameter))
    if len(names) < 2:
        return None
    before_star = parameter.split("*", maxsplit=1)[0]
    is_constant = bool(re.search(r"\b(const|constant|__constant)\b", before_star))
    return Declared(names[-1], is_pointer, is_constant)


def parameters_of(text: str, function: str) -> list[Declared] | None:
    """Returns the parameters of a function that the text defines; None if the definition is not found.

    Macros are not expanded: a function whose parameters come from one is not found.
    """
    source = _without_comments(text)
    name = re.escape(function.split("<", maxsplit=1)[0].rsplit("::", maxsplit=1)[-1])
    for match in re.finditer(rf"\b{name}\s*\(", source):
        closing = _matching(source, match.end() - 1)
        if closing < 0 or not re.match(r"\s*\{", source[closing + 1 :]):
            continue
        inside = source[match.end() : closing].strip()
        if inside in ("", "void"):
            return []
        declared = [_declared(part) for part in _split(inside)]
        if all(each is not None for each in declared):
            return [each for each in declared if each is not None]
    return None
