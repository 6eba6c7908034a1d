"""Runs that are handed in and read later: `submit`, `status`, `fetch` and `end`, on this machine."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from .._errors import exception
from .bundle import Bundle

_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")
_SECONDS_TO_END = 5.0


class Status(NamedTuple):
    """What is known of a run."""

    run: str
    state: str
    """`runs`, `ended`, `failed` or `was killed`."""
    lines: list[str]
    """Lines for people: the evaluators, or the reason of a failure."""


class Runs(Protocol):
    """A place where runs go on without the program that handed them in."""

    def submit(self, run: str, bundle: Bundle, words: Sequence[str]) -> None:
        """Hands in a run: the files of a spec, and the options of `tune`."""

    def status(self) -> list[Status]:
        """Returns what is known of all runs, in the order of their names."""
        ...

    def fetch(self, run: str) -> bytes:
        """Returns the journal as far as it is. Raises NotFoundError."""
        ...

    def end(self, run: str) -> None:
        """Ends a run and forgets it with its journal. Raises NotFoundError."""


def new_name(spec: str) -> str:
    """Returns a name for a run of this spec that no other run has."""
    stem = re.sub(r"[^A-Za-z0-9._-]", "-", Path(spec).stem)[:60]
    return f"{stem}-{time.strftime('%m%d-%H%M%S')}-{secrets.token_hex(2)}"


def no_such(run: str) -> Exception:
    """Returns the error for a run that is not there."""
    return exception("not_found", f"there is no run `{run}` (`status` lists them)", {})


class LocalRuns:
    """Runs of this user on this machine: a folder for each, with spec, journal and the output of the command."""

    def __init__(self) -> None:
        home = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
        self._folder = Path(home, "wattune", "runs")

    def submit(self, run: str, bundle: Bundle, words: Sequence[str]) -> None:
        """Starts `tune` in a process that outlives this one."""
        folder = self._folder / run
        folder.mkdir(parents=True, mode=0o700)
        bundle.extract_to(folder / "spec")
        program = "import sys; from wattune.cluster.runs import keep; keep(sys.argv[1])"
        words = ["tune", str(folder / "spec" / bundle.spec), "--output", str(folder / "journal.jsonl"), *words]
        (folder / "words.json").write_text(json.dumps(words))
        with (folder / "log").open("w") as log:
            process = subprocess.Popen([sys.executable, "-c", program, str(folder)], stdin=subprocess.DEVNULL,
                                       stdout=log, stderr=log, start_new_session=True)  # fmt: skip
        (folder / "process").write_text(f"{process.pid} {_start_of(process.pid)}")

    def status(self) -> list[Status]:
        """Returns what is known of all runs."""
        return [self._status_of(each) for each in sorted(self._folder.glob("*")) if each.is_dir()]

    def _status_of(self, folder: Path) -> Status:
        log = [line for line in _text_of(folder / "log").splitlines() if line.strip()]
        ended = _text_of(folder / "ended")
        if ended:
            state = "ended" if ended in ("0", "1") else "failed"
        else:
            state = "runs" if _process_of(folder) else "was killed"
        return Status(folder.name, state, log[-1:])

    def fetch(self, run: str) -> bytes:
        """Returns the journal as far as it is."""
        try:
            return (self._of(run) / "journal.jsonl").read_bytes()
        except FileNotFoundError:
            raise exception("not_found", f"the run `{run}` has no results yet", {}) from None

    def end(self, run: str) -> None:
        """Interrupts the run, kills it if it does not end within seconds, and removes its folder."""
        folder = self._of(run)
        over = time.monotonic() + _SECONDS_TO_END
        if pid := _process_of(folder):
            os.killpg(pid, signal.SIGINT)
        while pid := _process_of(folder):
            if time.monotonic() > over:
                os.killpg(pid, signal.SIGKILL)
            time.sleep(0.05)
        shutil.rmtree(folder)

    def _of(self, run: str) -> Path:
        folder = self._folder / run
        if not _NAME.fullmatch(run) or not folder.is_dir():
            raise no_such(run)
        return folder


def keep(folder: str) -> None:
    """Runs the command that a run's folder holds, and notes its exit status there."""
    from .command import main

    status = 2
    try:
        status = main(json.loads(Path(folder, "words.json").read_text()))
    finally:
        sys.stdout.flush()
        Path(folder, "ended").write_text(str(status))


def _text_of(file: Path) -> str:
    try:
        return file.read_text(errors="replace").strip()
    except OSError:
        return ""


def _start_of(pid: int) -> str:
    """Returns when a process began, so that another one with its number is not taken for it; empty without it."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[19]


def _process_of(folder: Path) -> int:
    """Returns the number of the run's process; 0 if it has ended."""
    pid, _, start = _text_of(folder / "process").partition(" ")
    return int(pid) if pid and start and _start_of(int(pid)) == start else 0
