"""The command `wattune`, which the package brings along."""

from __future__ import annotations

import sys

from . import _core


def main() -> int:
    """Runs the command line of this process and returns its exit status."""
    return _core.run_command(["wattune", *sys.argv[1:]])
