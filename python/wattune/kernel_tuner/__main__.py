"""python -m wattune.kernel_tuner [--evaluations N] [--seconds T] script.py [arguments]: runs a script unchanged."""

from __future__ import annotations

import argparse
import os
import runpy
import sys

from .._errors import Error
from .finder import install
from .limits import Limits, set_limits
from .refusals import RefusedError
from .scan import refusal_in


def _positive(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"{text} is not greater than zero")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m wattune.kernel_tuner",
        description="Runs a script of Kernel Tuner's unchanged: `import kernel_tuner` finds Wattune in this process.",
    )
    parser.add_argument("--evaluations", type=_count, metavar="N", help="configurations of each tune_kernel() at most")
    parser.add_argument("--seconds", type=_positive, metavar="T", help="seconds of each search at most")
    parser.add_argument("script", help="the script; its own arguments follow")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def main() -> int:
    """Runs the script that the command line names and returns the exit status."""
    given = _parser().parse_args()
    if not os.path.isfile(given.script):
        print(f"wattune.kernel_tuner: {given.script}: there is no such file", file=sys.stderr)
        return 2
    set_limits(Limits(given.evaluations, given.seconds))
    install()
    sys.argv = [given.script, *given.arguments]
    try:
        refusal = refusal_in(given.script)
        if refusal is not None:
            raise refusal
        sys.path[0] = os.path.dirname(os.path.abspath(given.script))
        runpy.run_path(given.script, run_name="__main__")
    except RefusedError as error:
        print(f"{given.script}: {error}", file=sys.stderr)
        return 3
    except Error as error:
        print(f"{given.script}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
