"""NCUObserver: hardware counters, read by CUPTI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .observer import PrologueObserver


class NCUObserver(PrologueObserver):
    """Records hardware counters under their names, such as dram__bytes_read.sum, for one run.

    CUPTI reads them (docs/measure.md); the package nvmetrics is not needed. `device` must be that of tune_kernel().
    """

    def __init__(self, metrics: Sequence[str] | None = None, device: int = 0) -> None:
        self.metrics = list(metrics or ())
        self.device = device

    def get_results(self) -> dict[str, Any]:
        """Returns nothing: the counters come with the measurement."""
        return {}
