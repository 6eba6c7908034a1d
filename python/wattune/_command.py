"""The command `wattune`, which the package brings along."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from . import _core

if TYPE_CHECKING:
    from ._results import Results


def main() -> int:
    """Runs the command line of this process and returns its exit status."""
    return _core.run_command(["wattune", *sys.argv[1:]])


def write_report(results: Results, file: str) -> None:
    """Writes a page about the results by `wattune report`, in a process of its own."""
    import os
    import subprocess
    import tempfile

    from ._errors import exception

    with tempfile.TemporaryDirectory() as folder:
        source = results.journal or os.path.join(folder, "results.json")
        if not results.journal:
            results.write(source)
        program = "import sys; from wattune._command import main; sys.exit(main())"
        words = [sys.executable, "-c", program, "report", source, "--output", file]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no message"]
        text = f"the report was not written: {lines[-1]}"
        raise exception("unavailable", text, {"message": lines[-1]})
