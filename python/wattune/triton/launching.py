"""How a kernel of Triton is compiled and launched in another process."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from typing import Any

from .._calls.shipping import Shipped, unship


@dataclasses.dataclass
class Candidate:
    """A configuration with what the caller evaluated for it: constants, options of the compiler, and the grid."""

    configuration: dict[str, Any]
    values: Shipped
    grid: tuple[int, ...]
    hook: Shipped | None = None


@dataclasses.dataclass
class TritonLauncher:
    """A kernel and the hooks of its autotuner."""

    kernel: Shipped
    hook: Shipped | None = None
    _opened: Any = None
    _hook: Any = None

    def open(self) -> TritonLauncher:
        """Rebuilds the kernel in this process."""
        made = dataclasses.replace(self)
        made._opened = unship(self.kernel)
        made._hook = unship(self.hook) if self.hook else None
        return made

    def configuration(self, candidate: Candidate) -> dict[str, Any]:
        return candidate.configuration

    def prepare(
        self, arguments: dict[str, Any], candidate: Candidate
    ) -> tuple[Callable[[], None] | None, Callable[[], None]]:
        """Returns what the user's hooks do before a launch, if there are any, and the launch."""
        arguments.update(unship(candidate.values))
        hooks = [unship(candidate.hook)] if candidate.hook else []
        hooks += [self._hook] if self._hook is not None else []
        run, grid = self._opened.run, candidate.grid

        def before() -> None:
            for each in hooks:
                each(arguments)

        def launch() -> None:
            run(grid=grid, warmup=False, **arguments)

        return before if hooks else None, launch

    def compile(self, arguments: dict[str, Any], candidate: Candidate) -> Any:
        """Compiles a candidate, which puts it into Triton's cache, and returns what the compiler tells."""
        arguments.update(unship(candidate.values))
        if candidate.hook:
            # A hook may set the blocks of descriptors, which the compiler needs. Arrays have no memory here.
            with contextlib.suppress(AttributeError, TypeError):
                unship(candidate.hook)(arguments)
        return self._opened.run(grid=candidate.grid, warmup=True, **arguments)
