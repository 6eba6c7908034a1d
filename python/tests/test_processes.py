"""Forks, exits and wrong workers: one clear error each, what was measured is kept, and no process is left."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import wattune

numpy = pytest.importorskip("numpy")

# What the programs below share: a kernel of the host, and a run of it.
BEGIN = """
import os, sys, threading, time
import numpy as np, wattune
a = np.ones(4, np.float32)
source = 'extern "C" void f(float* a, int n) { a[0] += K - K; }'
def tuned(count, **options):
    return wattune.tune(source, "f", [a, np.int32(4)], {"K": range(count)}, device="host:0", max_samples=7, **options)
"""


def workers_of(folder: Path) -> list[str]:
    """Returns the processes that a program of this folder started and left behind."""
    deadline = time.monotonic() + 30
    while True:
        left = [text for text in map(started_in, Path("/proc").iterdir()) if str(folder) in text]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.05)


def started_in(entry: Path) -> str:
    """Returns the environment of a worker; an empty text for any other process."""
    try:
        if b"wattune-worker" in (entry / "cmdline").read_bytes():
            return (entry / "environ").read_text(errors="replace")
    except OSError:
        pass
    return ""


@pytest.fixture
def program(python: Any, tmp_path: Path) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Runs a program that must leave no worker behind."""

    def run(text: str) -> subprocess.CompletedProcess[str]:
        done = python(BEGIN + text, env={**os.environ, "WATTUNE_TEST_FOLDER": str(tmp_path)})
        assert workers_of(tmp_path) == []
        return done  # type: ignore[no-any-return]

    return run


def test_a_forked_child_may_search(program: Any) -> None:
    done = program("""
space = wattune.Space({"x": range(10)})
child = os.fork()
if child == 0:
    search = wattune.Search(space, evaluations=5)
    for configuration in search:
        search.tell(configuration, 1.0)
    os._exit(len(search))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
    assert done.stdout == "5\n", done.stderr


@pytest.mark.parametrize("before", [0, 2], ids=["after import", "after a run"])
def test_a_forked_child_may_tune(program: Any, before: int) -> None:
    done = program(f"""
if {before}:
    tuned({before})
child = os.fork()
if child == 0:
    sys.exit(len(tuned(3)))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), len(tuned(2)))
""")
    assert done.stdout == "3 2\n", done.stderr


def test_a_child_that_is_forked_during_a_run_leaves_the_run_alone(program: Any) -> None:
    done = program("""
import warnings
warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of any fork beside threads
begun = threading.Event()
results = []
thread = threading.Thread(target=lambda: results.append(tuned(20, observers=[lambda record: begun.set()])))
thread.start()
begun.wait(60)
child = os.fork()
if child == 0:
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
thread.join()
print({each["status"] for each in results[0]}, len(results[0]))
""")
    assert (done.stdout, done.stderr) == ("7\n{'correct'} 20\n", "")


def test_an_exit_without_a_word_keeps_what_was_measured(program: Any, tmp_path: Path) -> None:
    journal = tmp_path / "run.jsonl"
    done = program(f"""
seen = []
def leave(record):
    seen.append(record)
    if len(seen) == 3:
        os._exit(5)
tuned(100, journal={str(journal)!r}, observers=[leave])
""")
    assert done.returncode == 5
    assert len(wattune.read(journal)) == 3


def test_the_interpreter_exits_with_results_alive(program: Any) -> None:
    done = program("""
results = tuned(2)
results(a, np.int32(4))
search = wattune.Search({"x": range(9)}, [lambda x: x > 0])
configuration = search.ask()
print("end")
""")
    assert (done.stdout, done.stderr, done.returncode) == ("end\n", "", 0)


def test_the_interpreter_exits_while_a_thread_tunes(program: Any, tmp_path: Path) -> None:
    journal = tmp_path / "run.jsonl"
    done = program(f"""
begun = threading.Event()
def work():
    tuned(5000, journal={str(journal)!r}, observers=[lambda record: begun.set()])
threading.Thread(target=work, daemon=True).start()
begun.wait(60)
print("end", flush=True)
""")
    assert done.stdout == "end\n"
    assert "Fatal" not in done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 0
    assert len(wattune.read(journal)) > 0


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the package, whose programs a test may spoil."""
    folder = tmp_path / "site" / "wattune"
    source = Path(wattune.__file__).parent
    folder.mkdir(parents=True)
    for file in source.iterdir():
        if file.is_file():
            (folder / file.name).symlink_to(file.resolve())
    module = folder / "_core.abi3.so"
    module.unlink()
    shutil.copy(source / "_core.abi3.so", module)
    return folder


def listed(folder: Path, interpreter: str = sys.executable, **more: str) -> subprocess.CompletedProcess[str]:
    program = "import wattune\ntry:\n print(len(wattune.devices()))\nexcept wattune.Error as e:\n print(e.code, e)"
    environment = {**os.environ, "PYTHONPATH": str(folder.parent), **more}
    return subprocess.run([interpreter, "-c", program], env=environment, capture_output=True, text=True, check=False)


def with_worker(folder: Path, content: str | bytes, mode: int = 0o755) -> Path:
    """Puts something else in the place of the worker, and returns where the real one is."""
    worker = folder / "wattune-worker"
    real = worker.resolve()
    worker.unlink()
    worker.write_bytes(content.encode() if isinstance(content, str) else content)
    worker.chmod(mode)
    return real


def one_error(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done
    lines = done.stdout.splitlines()
    assert len(lines) == 1, done
    assert done.stderr == ""
    return lines[0]


@pytest.mark.parametrize("content", ["not a program", "#!/bin/false\n"])
def test_a_worker_that_is_something_else(copied: Path, content: str) -> None:
    with_worker(copied, content)
    assert one_error(listed(copied)).startswith("unavailable ")


def test_a_worker_that_may_not_run_or_is_missing(copied: Path) -> None:
    real = with_worker(copied, b"", 0o644)
    (copied / "wattune-worker").write_bytes(real.read_bytes())
    error = one_error(listed(copied))
    assert error.startswith("unavailable "), error
    assert "wattune-worker" in error
    assert str(copied) in error
    (copied / "wattune-worker").unlink()
    assert one_error(listed(copied)) == error


def test_a_worker_of_another_build(copied: Path) -> None:
    seen = copied.parent / "mark"
    real = with_worker(copied, f"#!/bin/sh\nhead -c 8 <&3 > {seen}\n")
    text = real.read_bytes()
    listed(copied)
    mark = seen.read_bytes()
    assert len(mark) == 8
    assert text.count(mark) > 0
    with_worker(copied, text.replace(mark, bytes(reversed(mark))))
    error = one_error(listed(copied))
    assert "of another build" in error
    assert "install both from one build" in error


def test_the_worker_beside_the_module_comes_first(copied: Path) -> None:
    marker = copied.parent / "started"
    real = with_worker(copied, "")
    with_worker(copied, f'#!/bin/sh\ntouch {marker}\nexec {real} "$@"\n')
    assert int(one_error(listed(copied))) > 0
    assert marker.exists()


def test_another_wattune_beside_the_interpreter_is_not_used(copied: Path, tmp_path: Path) -> None:
    folder = tmp_path / "usr" / "bin"
    folder.mkdir(parents=True)
    interpreter = folder / "python3"
    shutil.copy(Path(sys.executable).resolve(), interpreter)
    marker = tmp_path / "started"
    for name in ("wattune-worker", "wattune-guardian", "wattune"):
        (folder / name).write_text(f"#!/bin/sh\ntouch {marker}\nexit 1\n")
        (folder / name).chmod(0o755)
    home = {"PYTHONHOME": sys.base_prefix, "PYTHONPATH": os.pathsep.join([str(copied.parent), *sys.path[1:]])}
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    done = listed(copied, str(interpreter), PATH=path, **home)
    assert int(one_error(done)) > 0
    assert not marker.exists()


def test_a_full_disk_keeps_what_was_measured(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    text = tmp_path / "program.py"
    text.write_text(
        BEGIN
        + f"""
import contextlib
journal = {str(folder / "run.jsonl")!r}
seen = []
def fill(record):
    seen.append(record)
    if len(seen) == 2:
        with open({str(folder / "filling")!r}, "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
try:
    tuned(200, journal=journal, observers=[fill])
except Exception as error:
    print(type(error).__name__, len(wattune.read(journal)), len(seen), error)
"""
    )
    mount = f'mount -t tmpfs -o size=128k none "{folder}" && exec "$0" "$1"'
    command = ["unshare", "--mount", "sh", "-c", mount, sys.executable, str(text)]
    probe = subprocess.run(
        ["unshare", "--mount", "mount", "-t", "tmpfs", "none", str(folder)], capture_output=True, check=False
    )
    if probe.returncode != 0:
        pytest.skip("mounting a small file system takes root")
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    words = done.stdout.split()
    assert words[:1] == ["IoError"], done
    assert int(words[1]) >= int(words[2]) - 1 > 0
    assert len(done.stdout.splitlines()) == 1
