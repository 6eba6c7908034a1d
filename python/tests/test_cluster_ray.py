"""The fleet on Ray: a Ray of the test's own on this machine, and what joining another one may fail at."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from cluster_problems import recording_in, spec_in

pytest.importorskip("ray")

SPACE = {"X": range(6), "Y": range(5)}

PROGRAM = """
import json, os, sys, time, threading
import wattune
from wattune.cluster import RayFleet, tune
from wattune.cluster.seat import Seat

folder, device, journal, kills = sys.argv[1:]
pids = []
introduce = Seat.introduce
def noting(seat, hello):
    pids.append(hello["pid"])
    introduce(seat, hello)
Seat.introduce = noting
fleet = RayFleet("ray", 2)
print(json.dumps({"mode": os.environ["RAY_AUTH_MODE"], "token": len(os.environ["RAY_AUTH_TOKEN"])}), flush=True)
def kill():
    for _ in range(int(kills)):
        while len(pids) < 2 or not os.path.exists(journal):
            time.sleep(0.02)
        os.kill(pids.pop(0), 9)
threading.Thread(target=kill, daemon=True).start()
try:
    results = tune(folder + "/add.toml", fleet=fleet, device=device, journal=journal, strategy="exhaustive",
                   max_samples=7)
finally:
    fleet.close()
print(json.dumps({"found": len(results), "status": sorted({each["status"] for each in results})}), flush=True)
"""


def run(folder: Path, device: str, kills: int) -> list[dict[str, object]]:
    """Tunes on a Ray of its own in another process, and returns what that says."""
    file = folder / "program.py"
    file.write_text(PROGRAM)
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_MODE"):
        environment.pop(name, None)
    words = [sys.executable, str(file), str(folder), device, str(folder / "run.jsonl"), str(kills)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=280, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def ids_in(journal: Path) -> Counter[str]:
    lines = map(json.loads, journal.read_text().splitlines()[1:])
    return Counter(line["id"] for line in lines if "final" not in line)


def test_a_local_ray_has_a_token_and_finds_the_same(tmp_path: Path) -> None:
    spec_in(tmp_path, SPACE)
    said = run(tmp_path, f"replay:{recording_in(tmp_path, SPACE)}", 0)
    assert said == [{"mode": "token", "token": 64}, {"found": 30, "status": ["correct"]}]
    assert set(ids_in(tmp_path / "run.jsonl").values()) == {1}


def test_killed_actors_are_replaced(tmp_path: Path) -> None:
    slow = '#include <unistd.h>\nextern "C" void add(const float* a, float* c, int n) { usleep(9000 + X + Y); }\n'
    spec_in(tmp_path, {"X": [1, 2, 3], "Y": [1, 2]}, source=slow)
    said = run(tmp_path, "host:0", 2)
    assert said[-1]["found"] == 6
    assert ids_in(tmp_path / "run.jsonl").total() == 6
