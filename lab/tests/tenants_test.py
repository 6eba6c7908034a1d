#!/usr/bin/env python3
"""Tests lab/tenants with a program that measures nothing: what it asks for, and what its table says."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from typing import Any

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "tenants"
# Notes what it is asked for and prints a document. Fails for the specs that begin with `mandel`.
PROGRAM = """#!/usr/bin/env python3
import pathlib, sys
here = pathlib.Path(__file__).parent
with (here / "asked").open("a") as asked:
    print(*sys.argv[1:], file=asked)
if "mandel.toml" in sys.argv[4]:
    sys.exit("wattune: error: broken")
print((here / "document").read_text())
"""


def tenant(name: str, of_alone: float, ratio: float | None) -> dict[str, Any]:
    over = {"ratio": ratio, "interval": [ratio - 0.01, ratio + 0.01]} if ratio is not None else None
    return {"name": name, "works": 200, "of_alone": of_alone, "median_response_ms": 0.25, "response_95_ms": 0.5,
            "response_99_ms": 0.75 if ratio is not None else None, "response_99_over_priority": over}


class Tenants(unittest.TestCase):
    def test_runs_the_set_and_tabulates_what_it_prints(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            program = folder / "wattune"
            program.write_text(PROGRAM)
            program.chmod(0o755)
            policy = {"policy": "paired", "tenants": [tenant("chat", 0.04, 1.05), tenant("mandel", 0.7, None),
                                                      tenant("gather", 0.6, None)],
                      "others_over_split": {"ratio": 1.1, "interval": [1.1, 1.1]}}
            (folder / "document").write_text(json.dumps({"tenants": {"policies": [policy]}}))
            ran = subprocess.run([sys.executable, SCRIPT, program, "chosen", folder / "kept", "--kernels", "K"],
                                 capture_output=True, text=True, check=False, env=os.environ)
            self.assertEqual(ran.returncode, 1)
            self.assertIn("mandel-kepler-gated_stream-5ms: status 1: wattune: error: broken", ran.stderr)
            self.assertIn("| kepler-mandel-gather-5ms | paired | 200 | 0.250 | 0.500 | 0.750 | 1.050 (1.040 to 1.060) "
                          "| 70.0 %, 60.0 % | 1.100 |", ran.stdout)
            asked = (folder / "asked").read_text().splitlines()
            self.assertEqual(len(asked), 2)
            self.assertIn("corun --device cuda:0 K/chosen/kepler.toml K/chosen/mandel.toml K/chosen/gather.toml", asked[0])
            self.assertIn("--tenant chat=kepler,priority=1,poisson=5ms --tenant mandel=mandel", asked[0])
            self.assertEqual(json.loads((folder / "kept/kepler-mandel-gather-5ms.json").read_text())["tenants"],
                             {"policies": [policy]})


if __name__ == "__main__":
    unittest.main()
