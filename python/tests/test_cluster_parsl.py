"""A fleet over Parsl: an executor of one worker for each evaluator."""

from __future__ import annotations

from pathlib import Path

import pytest
from cluster_problems import recording_in, spec_in
from wattune import cluster

parsl = pytest.importorskip("parsl")

SPACE = {"X": range(6), "Y": range(5)}


def test_parsl_carries_the_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from parsl.concurrent import ParslPoolExecutor
    from parsl.config import Config
    from parsl.executors import HighThroughputExecutor
    from parsl.providers import LocalProvider

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    labels = ["first", "second"]
    executors = [HighThroughputExecutor(label=label, max_workers_per_node=1, encrypted=True,
                                        provider=LocalProvider(max_blocks=1)) for label in labels]  # fmt: skip
    kernel = parsl.load(Config(run_dir=str(tmp_path / "parsl"), retries=0, executors=executors))
    fleet = cluster.ExecutorFleet(lambda i: ParslPoolExecutor(dfk=kernel, executors=[labels[i]]), ["a", "b"])
    try:
        results = cluster.tune(spec_in(tmp_path, SPACE), fleet=fleet, strategy="exhaustive",
                               device=f"replay:{recording_in(tmp_path, SPACE)}")  # fmt: skip
    finally:
        fleet.close()
        kernel.cleanup()
    assert len(results) == 30
    assert results.best_configuration == {"X": 0, "Y": 0}
