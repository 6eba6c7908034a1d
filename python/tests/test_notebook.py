"""Notebooks: the example runs, results draw themselves, and the stop button keeps what was measured."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
nbformat = pytest.importorskip("nbformat")

EXAMPLE = Path(__file__).parents[1] / "examples" / "first_notebook.ipynb"
SECONDS = 240  # that a cell may take beside other work
LONG = """
import numpy as np, wattune
source = 'extern "C" void f(float* a, int n) { a[0] += K - K; }'
seen = lambda record: print("measured", flush=True)
results = wattune.tune(source, "f", [np.ones(4, np.float32), np.int32(4)], {"K": range(5000)}, device="host:0",
                       max_samples=7, observers=[seen])
print("returned", results.cancelled, len(results) > 0)
"""


def output(cell: Any, kind: str) -> list[str]:
    """Returns the data of a cell's outputs in a format such as text/html."""
    found = [each.get("data", {}).get(kind) for each in cell.outputs]
    return [each for each in found if each is not None]


def code_of(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def with_this_python(manager: Any) -> Any:
    """Has a manager start kernels of the Python of the tests."""
    from jupyter_client.kernelspec import KernelSpec

    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    manager._kernel_spec = KernelSpec(argv=command, display_name="tests", language="python")
    return manager


def test_the_example_is_executed(tmp_path: Path) -> None:
    from jupyter_client.manager import AsyncKernelManager

    manager = with_this_python(AsyncKernelManager())
    notebook = nbformat.read(EXAMPLE, 4)
    assert sum(len(cell.source.splitlines()) for cell in code_of(notebook)) <= 15
    nbclient.NotebookClient(notebook, km=manager, timeout=SECONDS, resources={"metadata": {"path": tmp_path}}).execute()
    _, tuned, called = code_of(notebook)
    (html,) = output(tuned, "text/html")
    assert "<table>" in html
    assert "STEP" in html
    assert html.count("<tr>") == 5
    assert any("4 configurations" in text for text in output(tuned, "text/plain"))
    assert output(called, "text/plain") == ["True"]
    streams = [each for cell in code_of(notebook) for each in cell.outputs if each.output_type == "stream"]
    assert streams == []


def test_the_example_is_kept_without_outputs() -> None:
    notebook = json.loads(EXAMPLE.read_text())
    assert all(cell.get("outputs", []) == [] for cell in notebook["cells"])


def test_the_stop_button_returns_what_was_measured(tmp_path: Path) -> None:
    from jupyter_client.manager import KernelManager

    manager = with_this_python(KernelManager())
    manager.start_kernel(cwd=str(tmp_path))
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=SECONDS)
        client.execute(LONG)
        text = ""
        deadline = time.monotonic() + SECONDS
        while "returned" not in text and time.monotonic() < deadline:
            message = client.get_iopub_msg(timeout=SECONDS)
            if message["msg_type"] == "error":
                text += "".join(message["content"]["traceback"])
                break
            if message["msg_type"] == "stream":
                stopped = "measured" in text
                text += message["content"]["text"]
                if not stopped and "measured" in text:
                    manager.interrupt_kernel()
        assert "returned True True" in text
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
