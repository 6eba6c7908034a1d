"""RegisterObserver: registers of a thread, as the driver reports them."""

from __future__ import annotations

from typing import Any

from .observer import BenchmarkObserver


class RegisterObserver(BenchmarkObserver):
    """Records `num_regs`, the registers of each thread. Raises NotImplementedError on devices that do not tell."""

    def get_results(self) -> dict[str, Any]:
        """Returns the registers of the last configuration."""
        return {"num_regs": self.dev.num_regs}
