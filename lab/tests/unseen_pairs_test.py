#!/usr/bin/env python3
"""Tests lab/unseen_pairs with a program that measures nothing: what it runs again, and what its table says."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from typing import Any

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "unseen_pairs"
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
with (here / "asked").open("a") as asked:
    print(pair, file=asked)
if pair == "b-c" and (here / "broken").exists():
    sys.exit("wattune: error: broken")
print((here / pair).read_text())
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
    return {"device": "H200", "pairs": [pair]}


class UnseenPairs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program = self.folder / "program"
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)
        for name in "abc":
            (self.folder / f"{name}.toml").touch()
        for pair in (document(["a", "b"], True, 0.25, 0.50), document(["a", "c"], True, 0.0, -0.02),
                     document(["b", "c"], False, 0.0, 0.0, "the control is off")):
            (self.folder / "-".join(pair["pairs"][0]["kernels"])).write_text(json.dumps(pair))

    def call(self, *arguments: str | pathlib.Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)

    def run_into(self, name: str, *options: str) -> subprocess.CompletedProcess[str]:
        return self.call("run", self.program, self.folder, self.folder / name, self.folder / "all.tar.xz", *options)

    def asked(self) -> list[str]:
        return (self.folder / "asked").read_text().split()

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

    # The plan gains 1.50 / 1.25 - 1 = 20 % and 0.98 / 1.00 - 1 = -2 % over the best baselines; the root of 1.20 * 0.98
    # is 1.084. In truth a and c are not complementary, since nothing gains 10 % or more. Their plan reaches 0.98 / 1.05
    # of the best way, and that of a and b all of it; the root of the product is 0.966.
    def test_the_table_compares_the_plan_with_the_best_baseline(self) -> None:
        self.run_into("first")
        table = self.call("table", self.folder / "all.tar.xz").stdout
        self.assertIn("2 pairs on an H200", table)
        self.assertIn("| the plan over the best baseline, geometric mean | +8.4 % |", table)
        self.assertIn("| the plan over the best of all ways, geometric mean | -3.4 % |", table)
        self.assertIn("| pairs more than 1 % behind the best baseline (surely) | 1 (1) |", table)
        self.assertIn("| class right | 1 of 2, 0 unknown |", table)
        self.assertIn("| a, c | yes, wrong | +0.0 %, 96 SMs | +5.0 %, 6:2 | -2.0 %, 5:3 | -2.0 % (-2.5 % to", table)
        self.assertIn("Withheld: b, c: the control is off", table)


if __name__ == "__main__":
    unittest.main()
