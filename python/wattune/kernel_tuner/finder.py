"""A finder of modules that gives this package the name `kernel_tuner`, in this process only."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from .refusals import REPOSITORY, RefusedImportError, refused_module

_NAME = "kernel_tuner"
_HERE = __name__.rpartition(".")[0]


class _Loader:
    """Loads a module of this package under another name: it is the same module."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Returns the module. Raises RefusedImportError for one that Wattune does not have."""
        inside = spec.name.removeprefix(_NAME).lstrip(".")
        if not inside:
            return importlib.import_module(_HERE)
        error = refused_module(inside)
        if error is not None:
            raise error
        try:
            module = importlib.import_module(f"{_HERE}.{inside}")
        except ModuleNotFoundError as missing:
            if missing.name is None or not missing.name.startswith(_HERE):
                raise
            text = f"wattune.kernel_tuner has no module `{inside}` (docs: {REPOSITORY})"
            raise RefusedImportError(text) from None
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Gives the module its own spec back: it was executed under its own name."""
        own = sys.modules.get(module.__name__)
        if own is module:
            module.__spec__ = getattr(self, "_spec", None) or ModuleSpec(module.__name__, None)


class Finder:
    """Finds `kernel_tuner` and its modules here, before any that is installed."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """Returns how to load a module of this name; None for any other name."""
        if name != _NAME and not name.startswith(_NAME + "."):
            return None
        return ModuleSpec(name, _Loader(), is_package=True)  # type: ignore[arg-type]


def install() -> None:
    """Puts the finder before all others. Modules of an installed Kernel Tuner that are loaded already are dropped."""
    for name in [each for each in sys.modules if each == _NAME or each.startswith(_NAME + ".")]:
        del sys.modules[name]
    if not any(isinstance(each, Finder) for each in sys.meta_path):
        sys.meta_path.insert(0, Finder())
