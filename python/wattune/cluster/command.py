"""The command line of `python -m wattune.cluster`: tune, and runs that are handed in and read later."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .._errors import Error, exception, wrong
from .._results import read
from .groups import PROBE_SHARE
from .opening import REPLAY, prepare
from .runs import LocalRuns, Runs, new_name
from .tuning import tune

_EXAMPLES = """examples:
  python -m wattune.cluster tune gemm.toml                      all GPUs of this machine, in processes of their own
  python -m wattune.cluster tune gemm.toml --address auto       the cluster of Ray that this machine belongs to
  python -m wattune.cluster tune gemm.toml --resume             goes on with gemm.journal.jsonl after whatever ended it
  python -m wattune.cluster submit gemm.toml --address ray://head:10001     hands in a run, and prints its name
  python -m wattune.cluster status --address ray://head:10001               what the runs there do
  python -m wattune.cluster fetch NAME --address ray://head:10001           its journal, from any machine

Each result is in the journal before its evaluator gets the next configuration. `wattune show gemm.journal.jsonl` reads
it, as it reads those of `wattune tune`. docs/cluster.md tells what happens when evaluators, nodes or drivers end.
"""
_WHERE = ("local: processes of this machine (default). ray: a Ray of its own on this machine. auto or HOST:PORT: a "
          "cluster of Ray to join. ray://HOST:PORT: one to reach from outside")  # fmt: skip
_GROUP = "the group that measures, if evaluators differ: its number or a part of its device's name"
_PROBE = f"leave out a GPU whose time of the default configuration is farther off its group's ({PROBE_SHARE})"
_UNITS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status: 0 if some configuration is correct, 1 if none, 2 for errors."""
    parser = _parser()
    options = parser.parse_args(words)
    options.words = list(sys.argv[1:] if words is None else words)
    try:
        return int(options.run(options))
    except Error as error:
        print(f"wattune: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 2


def _parser() -> argparse.ArgumentParser:
    texts: dict[str, Any] = {"epilog": _EXAMPLES, "formatter_class": argparse.RawDescriptionHelpFormatter}
    parser = argparse.ArgumentParser("python -m wattune.cluster", description="Tunes on many GPUs and hosts.", **texts)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_tune(commands.add_parser("tune", help="search the configurations of a spec", **texts))
    _add_submit(commands.add_parser("submit", help="hand in a run that goes on by itself, and print its name"))
    _add_place(commands.add_parser("status", help="tell what the runs that were handed in do"), _status)
    fetch = commands.add_parser("fetch", help="write the journal of a run, as far as it is, to a file")
    fetch.add_argument("name", metavar="RUN")
    fetch.add_argument("--output", "-o", metavar="FILE", help="by default RUN.journal.jsonl")
    _add_place(fetch, _fetch)
    end = commands.add_parser("end", help="end a run, and forget it with its journal")
    end.add_argument("name", metavar="RUN")
    _add_place(end, _end)
    return parser


def _add_place(parser: argparse.ArgumentParser, run: Callable[[argparse.Namespace], int]) -> None:
    parser.add_argument("--address", default="local", metavar="WHERE", help="where the run was handed in (local)")
    parser.add_argument("--insecure", action="store_true", help="use a cluster of Ray without a token, with a warning")
    parser.set_defaults(run=run)


def _add_submit(parser: argparse.ArgumentParser) -> None:
    parser.description = ("With --address local the run goes on in processes of this machine, otherwise on the cluster "
                          "of Ray at that address, which needs no program of yours to stay.")  # fmt: skip
    add_search_options(parser)
    parser.set_defaults(run=_submit)


def parse_tune(words: Sequence[str]) -> argparse.Namespace:
    """Returns the options of `tune` in these words."""
    return _parser().parse_args(["tune", *words])


def _seconds(text: str) -> float:
    found = re.fullmatch(r"([0-9.]+)(ms|s|min|h)?", text)
    if not found:
        raise argparse.ArgumentTypeError(f"no time: {text!r}, such as 90s, 5min or 2h")
    return float(found[1]) * _UNITS[found[2] or "s"]


def _probe(text: str) -> float | None:
    if text == "off":
        return None
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0.0 < share < 1.0:
        raise argparse.ArgumentTypeError(f"neither off nor a share such as 0.03: {text!r}")
    return share


def _named_number(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"not of the form NAME=NUMBER: {text!r}") from None


def _named_size(text: str) -> tuple[str, int]:
    name, value = _named_number(text)
    return name, int(value)


def add_search_options(parser: argparse.ArgumentParser) -> None:
    """Declares what commands that search have in common."""
    parser.add_argument("spec", metavar="SPEC", help="the tuning problem, a file of TOML or JSON (docs/spec.md)")
    where = parser.add_argument_group("evaluators")
    where.add_argument("--address", default="local", metavar="WHERE", help=_WHERE)
    where.add_argument("--evaluators", type=int, metavar="N", help="how many, by default one for each device")
    where.add_argument("--device", default="auto", help="the devices of each machine, as for `wattune tune`")
    where.add_argument("--group", default="", metavar="NAME", help=_GROUP)
    where.add_argument("--probe", type=_probe, default=PROBE_SHARE, metavar="SHARE|off", help=_PROBE)
    where.add_argument("--insecure", action="store_true", help="use a cluster of Ray without a token, with a warning")
    search = parser.add_argument_group("search")
    search.add_argument("--strategy", default="")
    search.add_argument("--set", type=_named_number, action="append", default=[], metavar="NAME=NUMBER",
                        help="an option of the strategy")  # fmt: skip
    search.add_argument("--seed", type=int, default=1)
    search.add_argument("--warm-start", action="append", default=[], metavar="FILE",
                        help="results to learn from, such as another group's")  # fmt: skip
    search.add_argument("--evaluations", type=int, metavar="N", help="end after so many configurations")
    search.add_argument("--time", type=_seconds, metavar="TIME", help="end after so long, such as 90s or 2h")
    search.add_argument("--problem-size", type=_named_size, action="append", default=[], metavar="NAME=SIZE")
    search.add_argument("--minimize", metavar="METRIC")
    search.add_argument("--maximize", metavar="METRIC")
    measuring = parser.add_argument_group("measuring")
    measuring.add_argument("--cache", choices=("warm", "cold"), default="warm")
    measuring.add_argument("--launch", choices=("each", "graph"), default="each")
    measuring.add_argument("--observe", action="append", default=[], metavar="METRIC", help="power, energy and so on")
    measuring.add_argument("--min-samples", type=int, metavar="N")
    measuring.add_argument("--max-samples", type=int, metavar="N")
    measuring.add_argument("--compile-limit", type=_seconds, metavar="TIME")
    measuring.add_argument("--run-limit", type=_seconds, metavar="TIME")


def _add_tune(parser: argparse.ArgumentParser) -> None:
    add_search_options(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--output", "-o", metavar="FILE", help="the journal, by default NAME.journal.jsonl")
    output.add_argument("--resume", action="store_true", help="go on with the journal if it exists")
    output.add_argument("--quiet", "-q", action="store_true", help="show no progress")
    parser.set_defaults(run=_tune)


def _journal(options: argparse.Namespace) -> str:
    file = str(options.output or Path(options.spec).stem + ".journal.jsonl")
    if not options.resume and os.path.exists(file) and os.path.getsize(file) > 0:
        raise wrong("the journal exists already", file, "go on with it by --resume, or name another by --output")
    return file


def arguments_of(options: argparse.Namespace) -> dict[str, object]:
    """Returns the arguments of tune() that the options mean."""
    return {
        "address": options.address, "evaluators": options.evaluators, "device": options.device, "group": options.group,
        "probe": options.probe, "earlier": [read(each) for each in options.warm_start],
        "insecure": options.insecure, "strategy": options.strategy,
        "strategy_options": dict(options.set), "seed": options.seed, "evaluations": options.evaluations,
        "seconds": options.time, "sizes": dict(options.problem_size), "minimize": options.minimize,
        "maximize": options.maximize, "cache": options.cache, "launch": options.launch, "observe": options.observe,
        "min_samples": options.min_samples, "max_samples": options.max_samples,
        "compile_seconds": options.compile_limit, "run_seconds": options.run_limit,
    }  # fmt: skip


def _tune(options: argparse.Namespace) -> int:
    file = _journal(options)
    results = tune(options.spec, journal=file, progress=not options.quiet, **arguments_of(options))  # type: ignore[arg-type]
    print(results)
    print(f"\nthe results are in {results.journal}; `wattune show {results.journal}` shows them")
    if results.cancelled:
        return 128 + signal.SIGINT
    return 0 if results.best else 1


def _runs(options: argparse.Namespace) -> Runs:
    if options.address == "local":
        return LocalRuns()
    if options.address == "ray":
        raise wrong("a Ray of the run's own ends with the command", "ray", "name a cluster, or local")
    from .ray_runs import RayRuns

    return RayRuns(options.address, insecure=options.insecure)


def _submit(options: argparse.Namespace) -> int:
    if options.warm_start:
        raise wrong("a run that is handed in begins without earlier results", options.warm_start[0])
    if options.device.startswith(REPLAY):
        raise wrong("a run that is handed in measures on devices", options.device)
    opening = prepare(options.spec, options={"device": options.device}, sizes=dict(options.problem_size),
                      constraints=(), goals={})  # fmt: skip
    name = new_name(options.spec)
    words = [word for word in options.words[1:] if word != options.spec]
    if options.address != "local":  # inside of the cluster it is the one that Ray knows
        words += ["--address", "auto"]
    _runs(options).submit(name, opening.bundle, words)
    print(name)
    return 0


def _status(options: argparse.Namespace) -> int:
    for status in _runs(options).status():
        print(f"{status.run}: {status.state}")
        for line in status.lines:
            print(f"  {line}")
    return 0


def _fetch(options: argparse.Namespace) -> int:
    file = Path(options.output or f"{options.name}.journal.jsonl")
    if file.exists():
        raise wrong("the file exists already", str(file), "name another by --output")
    journal = _runs(options).fetch(options.name)
    try:
        file.write_bytes(journal)
    except OSError as error:
        raise exception("io_error", f"{file}: {error.strerror}", {}) from None
    print(f"the results so far are in {file}; `wattune show {file}` shows them")
    return 0


def _end(options: argparse.Namespace) -> int:
    _runs(options).end(options.name)
    return 0
