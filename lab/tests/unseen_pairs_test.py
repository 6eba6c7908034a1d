#!/usr/bin/env python3
"""Tests what lab/unseen_pairs runs, with programs that measure nothing, and what lab/unseen_tables says of it."""
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
from typing import Any

LAB = pathlib.Path(__file__).resolve().parents[1]
# Notes each pair that it is asked for and prints its JSON. Fails for b with c while a file says so, and where speeds of
# pairs are kept.
PROGRAM = """#!/usr/bin/env python3
import os, pathlib, sys
kept = pathlib.Path(os.environ["XDG_CACHE_HOME"]) / "wattune/pairs.jsonl"
if kept.exists():
    sys.exit("wattune: error: the pair is known")
kept.parent.mkdir(parents=True, exist_ok=True)
here = pathlib.Path(__file__).parent
if sys.argv[1] == "profile":
    print("profiles")
    sys.exit()
kept.touch()
pair = "-".join(pathlib.Path(name).stem for name in sys.argv[2:4])
if "--policies" in sys.argv:
    pair += "-queue" + ("-load" if "--load" in sys.argv else "")
with (here / "asked").open("a") as asked:
    print(pair, file=asked)
if pair == "b-c" and (here / "broken").exists():
    sys.exit("wattune: error: broken")
print((here / pair).read_text())
"""
# Leaves the JSON of each pair that its folder lacks.
BATCHES = """#!/usr/bin/env python3
import itertools, json, pathlib, sys
folder, *specs = map(pathlib.Path, sys.argv[1:sys.argv.index("--device")])
for one, other in itertools.combinations(specs, 2):
    file = folder / f"{one.stem}-{other.stem}.json"
    if not file.exists():
        print("ran", file.stem)
        file.write_text(json.dumps({"batches": {}}))
"""


def document(names: list[str], told: bool, baseline: float, plan: float, withheld: str | None = None) -> dict[str, Any]:
    """Returns what `wattune corun --json` prints of a pair with three rows: in turn, a split, shares of 5 %."""
    rows = [{"way": "in_turn", "ratio": None, "sms_of_first": None},
            {"way": "split", "ratio": None, "sms_of_first": 96},
            {"way": "shares", "ratio": [6, 2], "sms_of_first": None}]
    over = (1 + plan) / (1 + baseline) - 1
    planned = {"ratio": [5, 3], "sms_of_first": None, "whole": False, "gain": plan, "gain_over_baseline": over,
               "interval_over_baseline": [over - 0.005, over + 0.005], "error": None}
    gains = [[0.0, 0.0, 0.0], [baseline, 0.0, 1.0], [0.05, 0.0, 1.0], [plan, 0.0, 1.0]]
    pair = {"kernels": names, "complementary": told, "rows": rows, "best_baseline": 1, "best_share": 2,
            "planned": planned, "rerun": {"entrants": ["alone", 1, 2, "planned"], "gains": gains},
            "verdict": {"withheld": withheld}, "outputs": {"differences": []}}
    return {"device": "H200", "pairs": [pair], "queue": None}


def in_batches(names: list[str], baseline: float, pilots: float, parts: list[float], again: float) -> dict[str, Any]:
    """Returns what `pair_batches` leaves of a pair whose kernels take 1 ms: 20 batches take `baseline`."""
    return {"device": "H200", "kernels": names, "alone_ms": [1.0, 1.0],
            "batches": {"part": 20, "first": 100, "begin": 10},
            "baselines": [{"way": "in turn", "parts_ms": [40.0]}, {"way": "streams", "parts_ms": [baseline]}],
            "first": [{"pilots_ms": pilots, "parts_ms": parts, "trials_ms": 2.0, "ways": []}],
            "again": [{"pilots_ms": 0.0, "parts_ms": [15.0, again], "trials_ms": 0.0, "ways": []}]}


def queue(times: dict[str, list[float]]) -> dict[str, Any]:
    """Returns what `wattune corun --json` prints of a queue with these times by policy."""
    policies = [{"policy": policy, "makespans_ms": its, "piloted": policy == "paired",
                 "pairs": [1] if policy != "fifo" else []} for policy, its in times.items()]
    return {"device": "H200", "pairs": None, "queue": {"policies": policies, "verdict": {"withheld": None}}}


class UnseenPairs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program = self.make_program("program", PROGRAM)
        for name in "abc":
            (self.folder / f"{name}.toml").touch()
        for pair in (document(["a", "b"], True, 0.25, 0.50), document(["a", "c"], True, 0.0, -0.02),
                     document(["b", "c"], False, 0.0, 0.0, "the control is off")):
            (self.folder / "-".join(pair["pairs"][0]["kernels"])).write_text(json.dumps(pair))

    def make_program(self, name: str, text: str) -> pathlib.Path:
        program = self.folder / name
        program.write_text(text)
        program.chmod(0o755)
        return program

    def call(self, script: str, *arguments: str | pathlib.Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, LAB / script, *arguments], capture_output=True, text=True, check=False)

    def run_into(self, name: str, *options: str) -> subprocess.CompletedProcess[str]:
        return self.call("unseen_pairs", "sweeps", self.program, self.folder, self.folder / name,
                         self.folder / "all.tar.xz", *options)

    def asked(self) -> list[str]:
        return (self.folder / "asked").read_text().split()

    def table_of(self, *archives: dict[str, dict[str, Any]]) -> str:
        """Returns the tables of archives with these documents by the names of their files."""
        paths = []
        for place, documents in enumerate(archives):
            paths.append(self.folder / f"{place}.tar.xz")
            with tarfile.open(paths[-1], "w:xz") as packed:
                for name, content in documents.items():
                    file = self.folder / "member"
                    file.write_text(json.dumps(content))
                    packed.add(file, f"{name}.json")
        return self.call("unseen_tables", *paths).stdout

    def test_another_call_goes_on_from_the_archive(self) -> None:
        (self.folder / "broken").touch()
        first = self.run_into("first")
        self.assertEqual(first.returncode, 1)
        self.assertIn("b-c: 0", first.stdout)
        self.assertIn("failed: wattune: error: broken", first.stdout)
        self.assertIn("2 of 3 pairs, 1 failed", first.stdout)
        os.remove(self.folder / "broken")
        second = self.run_into("second")
        self.assertEqual(second.returncode, 0)
        self.assertIn("3 of 3 pairs", second.stdout)
        self.assertEqual(self.asked(), ["a-b", "a-c", "b-c", "b-c"])

    def test_no_pair_begins_whose_limit_lies_beyond_the_end(self) -> None:
        self.assertIn("0 of 3 pairs", self.run_into("first", "--seconds", "10", "--limit", "20").stdout)
        self.assertFalse((self.folder / "asked").exists())

    def test_batches_go_on_from_the_archive(self) -> None:
        program = self.make_program("batches", BATCHES)
        for folder, ran in (("first", ["a-b", "a-c", "b-c"]), ("second", [])):
            called = self.call("unseen_pairs", "batches", program, self.folder, self.folder / folder,
                               self.folder / "batches.tar.xz")
            self.assertEqual(called.returncode, 0)
            self.assertEqual(called.stdout.split("ran ")[1:], [f"{pair}\n" for pair in ran])

    # Without the kernels of the mixes there is the queue of all, which the program knows by the first two.
    def test_queues_run_as_a_backlog_and_at_random(self) -> None:
        for name in ("a-b-queue", "a-b-queue-load"):
            (self.folder / name).write_text("{}")
        called = self.call("unseen_pairs", "queues", self.program, self.folder, self.folder / "queues",
                           self.folder / "queues.tar.xz")
        self.assertIn("2 of 2 queues", called.stdout)
        self.assertEqual(self.asked(), ["a-b-queue", "a-b-queue-load"])
        self.assertTrue((self.folder / "queues/ALL-poisson.json").exists())

    # The plan gains 1.50 / 1.25 - 1 = 20 % and 0.98 / 1.00 - 1 = -2 % over the best baselines; the root of 1.20 * 0.98
    # is 1.084. In truth a and c are not complementary, since nothing gains 10 % or more. Their plan reaches 0.98 / 1.05
    # of the best way, and that of a and b all of it; the root of the product is 0.966.
    def test_the_table_compares_the_plan_with_the_best_baseline(self) -> None:
        self.run_into("first")
        table = self.call("unseen_tables", self.folder / "all.tar.xz").stdout
        self.assertIn("2 pairs swept on an H200", table)
        self.assertIn("| the plan over the best baseline, geometric mean | +8.4 % |", table)
        self.assertIn("best way swept, geometric mean | 96.6 % | no |", table)
        self.assertIn("best baseline | 1 of 2 behind; -2.0 % at worst (a, c) | no |", table)
        self.assertIn("| class right for nine of ten pairs | 1 of 2, 0 unknown | no |", table)
        self.assertIn("| a, c | yes, wrong | +0.0 %, 96 SMs | +5.0 %, 6:2 | -2.0 %, 5:3 | -2.0 % (-2.5 % to", table)
        self.assertIn("Withheld: b, c: the control is off", table)

    # 20 batches take 40 ms alone. Over streams of 30 ms, a and b gain 30 / 29.4 - 1 = 2.0 % in the last part,
    # 150 / (5 + 145) - 1 = 0 in all with pilots, and 30 / 30.6 - 1 = -2.0 % in the second run. Pilots and trials of
    # 7 ms are 7 / 1.5 batches. Streams of 39.6 ms gain a and c 1.0 %, so that their second run may lose 3 %, and
    # it loses 1 - 39.6 / 40.6 = 2.5 %.
    def test_the_table_of_batches_counts_pilots(self) -> None:
        table = self.table_of({"a-b": in_batches(["a", "b"], 30.0, 5.0, [28.9, 28.9, 28.9, 28.9, 29.4], 30.6),
                               "a-c": in_batches(["a", "c"], 39.6, 0.0, [39.2] * 5, 40.6)})
        self.assertIn("| a, b | +33.3 %, streams | +2.0 % | +0.0 % | -2.0 % | 4.7 |", table)
        self.assertIn("no pair more than 1 % behind the best baseline | 0 of 2 behind; +1.0 % at worst (a, c) | yes |",
                      table)
        self.assertIn("3 % where nothing gains | 1 of 2 behind; -2.5 % at worst (a, c) | no |", table)
        self.assertIn("| 0 of 2 take more; 4.7 at most (a, b) | yes |", table)

    # The root of 1.02 * 1.04 is 1.030.
    def test_several_archives_are_runs_of_the_same(self) -> None:
        runs = [{"a-b": in_batches(["a", "b"], 30.0, 0.0, [30.0 / gain] * 5, 30.0)} for gain in (1.02, 1.04)]
        self.assertIn("| a, b | +33.3 %, streams | +3.0 % (", self.table_of(*runs))

    # `paired` takes 10 / 9.8 of the time of `split` in both rounds.
    def test_the_table_of_queues_names_the_best_other_policy(self) -> None:
        times = {"fifo": [12.0, 12.0], "split": [9.8, 9.8], "paired": [10.0, 10.0]}
        table = self.table_of({"CI-backlog": queue(times)})
        self.assertIn("| 0 of 1 behind; -2.0 % at worst (CI-backlog) | yes |", table)
        self.assertIn("| queue | best other policy | over fifo | over split, which has no pilots |", table)
        self.assertIn("| CI-backlog | split | +20.0 % (+20.0 % to +20.0 %) | -2.0 % (-2.0 % to -2.0 %) |", table)


if __name__ == "__main__":
    unittest.main()
