"""A look at a script before it runs: whether it uses what Wattune does not have."""

from __future__ import annotations

import ast
from pathlib import Path

from .refusals import LANGUAGES, STRATEGIES, RefusedError, refused, refused_module

_PACKAGE = "kernel_tuner"
_CALLS = ("tune_kernel", "run_kernel", "PythonKernel")


def _imported(node: ast.AST) -> list[str]:
    """Returns the modules of the package that a statement imports, named without the package."""
    if isinstance(node, ast.Import):
        names = [each.name for each in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        names = [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
    else:
        return []
    return [name.removeprefix(_PACKAGE + ".") for name in names if name.startswith(_PACKAGE + ".")]


def _text_of(node: ast.AST | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _refusal_of_call(call: ast.Call) -> RefusedError | None:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name not in _CALLS:
        return None
    given = {each.arg: each.value for each in call.keywords if each.arg}
    is_simulated = getattr(given.get("simulation_mode"), "value", None) is True
    lang = (_text_of(given.get("lang")) or "").upper()
    if lang in LANGUAGES and not is_simulated:
        return refused(f"lang={lang!r}", LANGUAGES[lang])
    textures = given.get("texmem_args")
    if textures is not None and getattr(textures, "value", textures) is not None:
        return refused("texmem_args", "an image of a spec is a texture object (docs/formats/spec.md)")
    strategy = _text_of(given.get("strategy"))
    if strategy in STRATEGIES and strategy is not None:
        return refused(f"strategy {strategy!r}", STRATEGIES[strategy])
    return None


def refusal_in(script: str) -> RefusedError | None:
    """Returns why a script cannot run here, as far as its text tells; None if it may.

    A script that Python cannot parse is none of this function's business: running it says so.
    """
    try:
        tree = ast.parse(Path(script).read_text(encoding="utf-8"))
    except (SyntaxError, ValueError, UnicodeDecodeError):
        return None
    for node in ast.walk(tree):
        for name in _imported(node):
            error = refused_module(name)
            if error is not None:
                return error
        if isinstance(node, ast.Call):
            refusal = _refusal_of_call(node)
            if refusal is not None:
                return refusal
    return None
