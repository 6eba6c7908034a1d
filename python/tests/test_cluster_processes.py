"""The command `python -m wattune.cluster tune` while its processes are killed, interrupted and continued."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from cluster_problems import children_of, kill, recording_in, spec_in

SPACE = {"X": [1, 2, 3], "Y": [1, 2, 3, 4]}
SLOW = """
#include <unistd.h>
extern "C" void add(const float* a, float* c, int n) {
  usleep(3000 * (X + Y));
  for (int i = 0; i < n; ++i) c[i] = a[i];
}
"""


class Run:
    """The command in a process of its own."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.journal = folder / "run.jsonl"
        environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
        arguments = [sys.executable, "-m", "wattune.cluster", "tune", str(folder / "add.toml"), "--evaluators", "2",
                     "--device", "host:0", "--max-samples", "7", "--strategy", "exhaustive", "-o", str(self.journal),
                     *words]  # fmt: skip
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=environment)  # fmt: skip

    def evaluators(self) -> list[int]:
        return [pid for pid, words in children_of(self.process.pid) if "spawn_main" in words]

    def found(self) -> list[str]:
        """Returns the ids of the configurations that the search has in its journal, as often as they are there."""
        if not self.journal.exists():
            return []
        lines = self.journal.read_text().split("\n")[1:-1]
        return [trial["id"] for trial in map(json.loads, lines) if "final" not in trial]

    def wait_for(self, trials: int) -> None:
        wait_until(lambda: len(self.found()) >= trials or self.process.poll() is not None)
        assert self.process.poll() is None, self.process.communicate()

    def end(self) -> tuple[int, str]:
        _, errors = self.process.communicate(timeout=300)
        return self.process.returncode, errors


def wait_until(holds: Callable[[], bool], seconds: float = 120.0) -> None:
    over = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < over
        time.sleep(0.02)


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_killed_evaluators_are_replaced(tmp_path: Path) -> None:
    spec_in(tmp_path, SPACE, source=SLOW)
    run = Run(tmp_path)
    run.wait_for(2)
    first = run.evaluators()
    kill(first[0])
    wait_until(lambda: len(set(run.evaluators()) - set(first)) == 1)
    kill(first[1])
    status, errors = run.end()
    assert status == 0, errors
    assert errors.count("was lost and is replaced") == 2
    assert Counter(Counter(run.found()).values()) == {1: 12}


def test_a_killed_driver_leaves_no_process_and_its_journal_is_continued(tmp_path: Path) -> None:
    spec_in(tmp_path, SPACE, source=SLOW)
    run = Run(tmp_path)
    run.wait_for(3)
    evaluators = run.evaluators()
    workers = [pid for each in evaluators for pid, _ in children_of(each)]
    assert len(evaluators) == 2
    assert workers
    kill(run.process.pid)
    wait_until(lambda: not any(map(is_there, evaluators + workers)))
    run.process.communicate()
    before = set(run.found())
    again = Run(tmp_path)
    assert again.end() == (2, f"wattune: the journal exists already: `{run.journal}` (go on with it by --resume, or "
                              "name another by --output)\n")  # fmt: skip
    last = Run(tmp_path, "--resume")
    status, errors = last.end()
    assert status == 0, errors
    assert before <= set(last.found())
    assert Counter(Counter(last.found()).values()) == {1: 12}


def test_an_interrupt_ends_everything_and_keeps_the_journal(tmp_path: Path) -> None:
    spec_in(tmp_path, SPACE, source=SLOW)
    run = Run(tmp_path)
    run.wait_for(2)
    evaluators = run.evaluators()
    run.process.send_signal(signal.SIGINT)
    status, errors = run.end()
    assert status == 130, errors
    assert not any(map(is_there, evaluators))
    assert 2 <= len(run.found()) < 12
    assert Counter(Counter(run.found()).values()) == {1: len(run.found())}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--address", "nowhere:1"], "nowhere:1" if find_spec("ray") else "pip install wattune[ray]"),
        (["--probe", "5"], "neither off nor a share"),
        (["--time", "soon"], "no time"),
        (["--evaluators", "0"], "one evaluator at least"),
        (["--device", "host:9"], "host:9"),
        (["--strategy", "exhaustve"], "exhaustive"),
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, words: list[str], message: str) -> None:
    spec_in(tmp_path, SPACE)
    status, errors = Run(tmp_path, *words).end()
    lines = errors.strip().splitlines()
    assert status == 2
    assert message in lines[-1]
    assert "Traceback" not in errors


def test_a_recording_answers_on_two_processes(tmp_path: Path) -> None:
    spec_in(tmp_path, SPACE)
    status, errors = Run(tmp_path, "--device", f"replay:{recording_in(tmp_path, SPACE)}").end()
    assert status == 0, errors


class Runs:
    """The commands for runs that are handed in, for a user of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "XDG_STATE_HOME": str(folder)}

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "wattune.cluster", *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, env=self.environment, check=False)

    def submit(self) -> str:
        done = self("submit", str(self.folder / "add.toml"), "--device", "host:0", "--max-samples", "7",
                    "--strategy", "exhaustive")  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def state(self) -> str:
        return self("status").stdout.split("\n")[0]


def test_a_run_is_handed_in_and_its_journal_fetched(tmp_path: Path) -> None:
    spec_in(tmp_path, {"X": [1, 2], "Y": [1]})
    runs = Runs(tmp_path)
    run = runs.submit()
    (tmp_path / "add.cc").write_text("changed meanwhile")
    wait_until(lambda: runs.state() == f"{run}: ended")
    fetched = tmp_path / "fetched.jsonl"
    assert runs("fetch", run, "-o", str(fetched)).returncode == 0
    assert len([line for line in fetched.read_text().splitlines() if '"id"' in line]) >= 2
    again = runs("fetch", run, "-o", str(fetched))
    assert (again.returncode, "exists already" in again.stderr) == (2, True)
    assert runs("end", run).returncode == 0
    assert runs("status").stdout == ""
    gone = runs("fetch", run)
    assert (gone.returncode, gone.stderr) == (2, f"wattune: there is no run `{run}` (`status` lists them)\n")


def test_a_run_is_ended(tmp_path: Path) -> None:
    spec_in(tmp_path, SPACE, source=SLOW)
    runs = Runs(tmp_path)
    run = runs.submit()
    process = int((tmp_path / "wattune" / "runs" / run / "process").read_text().split()[0])
    wait_until(lambda: any("spawn_main" in words for _, words in children_of(process)))
    evaluators = [pid for pid, _ in children_of(process)]
    assert runs("end", run).returncode == 0
    assert not is_there(process)
    wait_until(lambda: not any(map(is_there, evaluators)))
