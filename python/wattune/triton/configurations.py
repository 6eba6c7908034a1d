"""Configurations of Triton as those of a space, and what identifies a kernel."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Sequence
from typing import Any

import triton
from triton.runtime import cache
from triton.runtime.autotuner import Config

from .._calls.shipping import names_of
from .._calls.winners import Kernel
from .._space import Space
from .._types import Configuration, Constraint

KEY_VARIABLE = "WATTUNE_TRITON_KEY"
"""The variable of the environment in which servers get the key of Triton's cache."""
_OPTIONS = ("num_warps", "num_stages", "num_ctas")
_PLAIN = (bool, int, float, str)


def _value(value: object) -> Any:
    return value if isinstance(value, _PLAIN) else repr(value)


def parameters_of(config: Config) -> Configuration:
    """Returns a configuration of Triton as values by name. `maxnreg` is there if it is set, as is `pre_hook`."""
    made = {name: _value(value) for name, value in config.kwargs.items()}
    made.update({name: getattr(config, name) for name in _OPTIONS})
    for name in ("maxnreg", "ir_override"):
        if getattr(config, name, None) is not None:
            made[name] = getattr(config, name)
    if config.pre_hook is not None:
        made["pre_hook"] = getattr(config.pre_hook, "__qualname__", "a hook")
    return made


def config_of(configuration: Configuration) -> Config:
    """Returns the configuration of Triton for values of a space by name."""
    options = {name: configuration[name] for name in (*_OPTIONS, "maxnreg") if configuration.get(name)}
    kwargs = {name: value for name, value in configuration.items() if name not in (*_OPTIONS, "maxnreg")}
    return Config(kwargs, **options)


class ConfigList:
    """A list of configurations as a space of exactly these."""

    def __init__(self, configs: Sequence[Config]) -> None:
        made = [parameters_of(each) for each in configs]
        self.names = list(dict.fromkeys(name for each in made for name in each))
        # The values of a parameter are of one kind. Where they are not, or some lack it, they are texts.
        self._texts = {name for name in self.names if len({type(each.get(name)) for each in made}) > 1}
        self._by_values: dict[tuple[Any, ...], Config] = {}
        for config, values in zip(configs, made):
            self._by_values.setdefault(self._row(values), config)
        rows = list(self._by_values)
        columns = {name: list(dict.fromkeys(row[i] for row in rows)) for i, name in enumerate(self.names)}
        if not columns:
            columns, rows = {"configuration": [0]}, [(0,)]
        possible = 1
        for each in columns.values():
            possible *= len(each)
        constraints: list[Constraint] = []
        if possible > len(rows):
            names = [name for name, values in columns.items() if len(values) > 1]
            constraints = [
                " or ".join(
                    "(" + " and ".join(f"{name} == {row[self.names.index(name)]!r}" for name in names) + ")"
                    for row in rows
                )
            ]
        self.default = dict(zip(columns, rows[0]))
        self.space = Space(columns, constraints, default=self.default)

    def _row(self, values: Configuration) -> tuple[Any, ...]:
        def shown(name: str) -> Any:
            value = values.get(name)
            return str(value) if name in self._texts else value

        return tuple(map(shown, self.names))

    def config(self, configuration: Configuration) -> Config | None:
        """Returns the list's own object for a configuration; None if the list has no such one."""
        if not self.names:
            return next(iter(self._by_values.values()))
        return self._by_values.get(self._row(configuration))


def digits(text: str, count: int = 16) -> str:
    """Returns the first digits of a hash."""
    return hashlib.sha256(text.encode()).hexdigest()[:count]


def cache_variables() -> dict[str, str]:
    """Returns variables with the folder of Triton's cache, and with its key if this process has computed it."""
    folder = getattr(getattr(getattr(triton, "knobs", None), "cache", None), "dir", None)
    made = {"TRITON_CACHE_DIR": str(folder)} if folder else {}
    cached = getattr(cache.triton_key, "cache_info", None)
    if cached is not None and cached().currsize:
        made[KEY_VARIABLE] = cache.triton_key()
    return made


def kernel_of(function: Any) -> Kernel:
    """Returns what identifies a kernel: its source, with the kernels and constants that it reads, and Triton."""
    compiler = f"triton {triton.__version__}"
    return Kernel(function.__qualname__, digits(_source_of(function, set())), digits(compiler))


def _source_of(function: Any, seen: set[int]) -> str:
    if id(function) in seen:
        return str(function.__qualname__)
    seen.add(id(function))
    source = str(function.src)
    scope = function.__globals__
    if function.fn.__closure__:
        scope = {**scope, **inspect.getclosurevars(function.fn).nonlocals}
    parts = [source]
    for name in sorted(names_of(function.fn.__code__)):
        value = scope.get(name)
        if hasattr(value, "src") and hasattr(value, "fn"):
            if not (value.__module__ or "").startswith("triton."):
                parts.append(_source_of(value, seen))
        elif isinstance(value, (*_PLAIN, tuple)) or type(value).__name__ in ("constexpr", "dtype"):
            parts.append(f"{name}={value!r}")
    return "\n".join(parts)
