"""Kernels that run anywhere, and what the tests of tuning share."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

HOST_ADD = """
extern "C" void add(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n; i += STEP)
    for (int j = i; j < i + STEP && j < n; ++j) c[j] = a[j] + b[j];
}
"""
OPENCL_ADD = """
__kernel void add(__global const float* a, __global const float* b, __global float* c, int n) {
  int i = (get_group_id(0) * BLOCK + get_local_id(0)) * PER;
  for (int j = i; j < i + PER && j < n; ++j) c[j] = a[j] + b[j];
}
"""


@pytest.fixture
def host_add() -> str:
    return HOST_ADD


@pytest.fixture
def opencl_add() -> str:
    return OPENCL_ADD


@pytest.fixture
def python(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a program in a Python of its own, which must not leak objects of the module."""

    def run(program: str, **options: object) -> subprocess.CompletedProcess[str]:
        file = tmp_path / "program.py"
        file.write_text(program)
        arguments: dict[str, object] = {"capture_output": True, "text": True, "timeout": 120, **options}
        done = subprocess.run([sys.executable, str(file)], **arguments)  # type: ignore[call-overload]
        assert "nanobind: leaked" not in done.stderr
        return done  # type: ignore[no-any-return]

    return run


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    yield
    gc.collect()
