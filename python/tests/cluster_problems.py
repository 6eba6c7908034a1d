"""Problems for the tests of wattune.cluster: a recording that answers at once, and kernels of the host."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import wattune
from wattune.cluster import message, worker
from wattune.cluster.fleet import EvaluatorLost

SPEC = """
[kernel]
file = "add.cc"
function = "add"
arguments = [
  { name = "a", type = "float*", length = "n" },
  { name = "c", type = "float*", length = "n", access = "write" },
  { name = "n", type = "int", value = "n" },
]
[problem]
n = 64
"""
SOURCE = """
extern "C" void add(const float* a, float* c, int n) {
  for (int i = 0; i < n; ++i) c[i] = a[i] + 0 * (X + Y);
}
"""


def spec_in(folder: Path, parameters: dict[str, Sequence[int]], source: str = SOURCE, more: str = "") -> Path:
    """Writes a spec with these parameters and returns its file."""
    (folder / "add.cc").write_text(source)
    lines = [f"{name} = {list(values)}" for name, values in parameters.items()]
    file = folder / "add.toml"
    file.write_text(SPEC + more + "[parameters]\n" + "\n".join(lines) + "\n")
    return file


def recording_in(folder: Path, parameters: dict[str, Sequence[int]]) -> Path:
    """Writes results of every configuration, the best of which has the least sum of values, and returns their file."""
    file = folder / "recorded.jsonl"
    search = wattune.Search({name: list(values) for name, values in parameters.items()}, strategy="exhaustive",
                            journal=file)  # fmt: skip
    for configuration in search:
        search.tell(configuration, [1e-3 * (1 + sum(configuration.values()))] * 7)
    return file


class HereFleet:
    """A fleet whose evaluators are one evaluator of this process. `fault` decides what becomes of each request."""

    def __init__(self, nodes: Sequence[str]) -> None:
        self.nodes = list(nodes)
        self.replaced: list[int] = []
        self.waiting: dict[int, list[tuple[bytes, Future[bytes]]]] = {each: [] for each in range(len(self.nodes))}
        self.executed = 0
        """Evaluations that were executed."""

    def evaluators(self) -> Sequence[tuple[int, str]]:
        return [(each, f"evaluator {each}") for each in range(len(self.nodes))]

    def fault(self, handle: int, request: bytes) -> str:
        """Returns `""`, `lost before`, `lost after` or `silent`, for the oldest call of an evaluator."""
        return ""

    def submit(self, handle: Any, request: bytes) -> Future[bytes]:
        reply: Future[bytes] = Future()
        self.waiting[handle].append((request, reply))
        self.work(handle)
        return reply

    def work(self, handle: int) -> None:
        """Answers the calls of an evaluator in order, until one costs the evaluator or hangs."""
        calls = self.waiting[handle]
        while calls:
            request, reply = calls[0]
            fault = self.fault(handle, request)
            if fault == "silent":
                return
            if fault != "lost before":
                answered = worker.answer(request, self.nodes[handle])
                self.executed += message.parse_request(request).kind == message.RUN
            if fault.startswith("lost"):
                self.lose(handle)
                return
            calls.pop(0)
            reply.set_result(answered)

    def lose(self, handle: int) -> None:
        calls, self.waiting[handle] = self.waiting[handle], []
        for _, reply in calls:
            reply.set_exception(EvaluatorLost("the process is gone"))

    def replace(self, handle: Any) -> None:
        self.replaced.append(handle)
        self.lose(handle)

    def close(self) -> None:
        for handle in self.waiting:
            self.lose(handle)


def kill(pid: int, number: int = signal.SIGKILL) -> None:
    """Sends a signal to a process that may be gone already."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def children_of(pid: int) -> list[tuple[int, str]]:
    """Returns the living children of a process, each with its command line."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rsplit(")", 1)[1].split()[:2]
            if int(parent) == pid and state != "Z":
                found.append((int(folder.name), (folder / "cmdline").read_text().replace("\0", " ")))
        except OSError:
            continue
    return found
