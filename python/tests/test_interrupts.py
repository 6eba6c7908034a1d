"""Ctrl-C, threads, forks, exits: a run ends when asked, keeps what it measured, and leaves no process."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wattune

numpy = pytest.importorskip("numpy")

# A kernel that takes SLEEP milliseconds, in a space that a search does not finish.
PROGRAM = """
import sys, os, signal
import numpy as np, wattune
import wattune._problem, wattune._run  # before 3.12, Python makes a RuntimeError of an interrupt in an import
source = '''
#include <unistd.h>
extern "C" void add(const float* a, float* c, int n) {
  usleep(1000 * SLEEP);
  for (int i = 0; i < n; ++i) c[i] = a[i] + K - K;
}
'''.replace("SLEEP", sys.argv[2])
a = np.ones(16, np.float32)
def began(record):
    print("result", flush=True)
try:
    print("ready", flush=True)
    results = wattune.tune(source, "add", [a, a.copy(), np.int32(16)], {"K": range(1000)}, device="host:0",
                           journal=sys.argv[1], min_samples=1, max_samples=1, observers=[began], progress=False)
    print("returned", len(results), results.cancelled, flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
signal.signal(signal.SIGINT, signal.SIG_IGN)
"""


class Running:
    """The program in a process of its own."""

    def __init__(self, folder: Path, sleep_ms: int) -> None:
        self.journal = folder / "run.jsonl"
        file = folder / "program.py"
        file.write_text(PROGRAM)
        self.process = subprocess.Popen(
            [sys.executable, str(file), str(self.journal), str(sleep_ms)], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.lines = self.process.stdout

    def wait_for(self, word: str) -> str:
        for line in self.lines:
            if line.startswith(word):
                return line.strip()
        return ""

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def children(self) -> list[int]:
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    words = (entry / "cmdline").read_bytes()
                    parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                except (OSError, ValueError):
                    continue
                if b"wattune-worker" in words and parent == self.process.pid:
                    found.append(int(entry.name))
        return found

    def workers(self) -> list[int]:
        """Waits until there are workers."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            if found := self.children():
                return found
            time.sleep(0.05)
        raise AssertionError("no worker was started")

    def end(self) -> int:
        return self.process.wait(timeout=60)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Any]:
    started: list[Running] = []

    def start(sleep_ms: int) -> Running:
        started.append(Running(tmp_path, sleep_ms))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.wait()


def is_gone(process: int) -> bool:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def test_the_first_interrupt_returns_what_was_measured(running: Any) -> None:
    run = running(5)
    run.wait_for("result")
    workers = run.workers()
    run.interrupt()
    words = run.wait_for("returned").split()
    assert words[2] == "True"
    assert run.end() == 0
    assert len(wattune.read(run.journal)) == int(words[1]) > 0
    assert all(is_gone(worker) for worker in workers)


def test_the_second_interrupt_ends_at_once(running: Any) -> None:
    run = running(3000)
    run.wait_for("ready")
    workers = run.workers()
    run.interrupt()
    time.sleep(0.3)
    run.interrupt()
    # The first one may have ended the run already, and the program, too.
    assert run.wait_for("") in ("interrupted", "")
    assert run.end() in (0, -signal.SIGINT)
    assert all(is_gone(worker) for worker in workers)


@pytest.mark.parametrize("endless", ["observers=[spin]", "constraints=[spin]", "check=spin", "metrics={'m': spin}"])
def test_a_function_that_never_ends(endless: str, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(f"""
import numpy as np, wattune
source = 'extern "C" void f(float* a, int n) {{ a[0] += K - K; }}'
def spin(*_, **__):
    print("spinning", flush=True)
    while True:
        pass
try:
    wattune.tune(source, "f", [np.ones(4, np.float32), np.int32(4)], {{"K": [1, 2]}}, device="host:0", max_samples=7,
                 journal={str(tmp_path / "run.jsonl")!r}, {endless})
except KeyboardInterrupt:
    print("interrupted", flush=True)
""")
    process = subprocess.Popen([sys.executable, str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "spinning\n"
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (out, err, process.returncode) == ("interrupted\n", "", 0)
    if endless.startswith("observers"):
        assert len(wattune.read(tmp_path / "run.jsonl")) == 1


def test_interrupts_at_random_moments(running: Any, tmp_path: Path) -> None:
    rounds = int(os.environ.get("WATTUNE_INTERRUPTS", "5"))
    generator = random.Random(7)
    for _ in range(rounds):
        (tmp_path / "run.jsonl").unlink(missing_ok=True)
        run = running(1)
        run.wait_for("ready")
        time.sleep(generator.random())
        run.interrupt()
        line = run.wait_for("")
        while line.startswith("result"):
            line = run.wait_for("")
        assert line.startswith(("returned", "interrupted")), line
        status = run.end()
        # A signal that comes between the return and the program's last line ends Python as usual.
        came_too_late = line.startswith("returned") and status == -signal.SIGINT
        assert status == 0 or came_too_late, (line, status)
        if run.journal.exists() and line.startswith("returned"):
            assert len(wattune.read(run.journal)) == int(line.split()[1])


def small(**options: Any) -> wattune.Results:
    source = 'extern "C" void add(const float* a, float* c, int n) { for (int i = 0; i < n; ++i) c[i] = a[i] + K - K; }'
    a = numpy.ones(16, numpy.float32)
    return wattune.tune(
        source, "add", [a, a.copy(), numpy.int32(16)], {"K": [1, 2]}, device="host:0", max_samples=7, **options
    )


def test_threads_tune_at_the_same_time() -> None:
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(len(small()))) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert counts == [2, 2]


def test_other_threads_run_meanwhile() -> None:
    ticks: list[int] = []
    over = threading.Event()

    def tick() -> None:
        while not over.wait(0.001):
            ticks.append(1)

    ticker = threading.Thread(target=tick)
    ticker.start()
    before = len(ticks)
    small()
    over.set()
    ticker.join()
    assert len(ticks) > before


def test_a_handler_of_the_application_stays(python: Any) -> None:
    done = python("""
import signal, threading, numpy as np, wattune
taken = []
signal.signal(signal.SIGINT, lambda *_: taken.append(1))
before = signal.getsignal(signal.SIGINT)
space = wattune.Space({"x": [1]})
a = np.ones(4, np.float32)
source = 'extern "C" void f(float* a, int n) { a[0] += K - K; }'
observer = lambda record: signal.raise_signal(signal.SIGINT)
wattune.tune(source, "f", [a, np.int32(4)], {"K": [1, 2]}, device="host:0", observers=[observer], max_samples=7)
assert signal.getsignal(signal.SIGINT) is before
print(len(taken))
""")
    # Two signals that come before Python calls the handler are one call.
    assert done.stdout in ("1\n", "2\n"), done.stderr
