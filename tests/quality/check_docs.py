#!/usr/bin/env python3
"""Checks that the documents point at what exists: every relative link, and a docs page for every module."""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
problems = []
pages = subprocess.run(["git", "ls-files", "*.md"], cwd=root, capture_output=True, text=True, check=True).stdout.split()
for page in pages:
    text = (root / page).read_text()
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        if not ((root / page).parent / target).exists():
            problems.append(f"{page}: link to missing {target}")
for module in sorted(p.name for p in (root / "src").iterdir() if p.is_dir()):
    if not (root / "docs" / f"{module}.md").exists():
        problems.append(f"docs/{module}.md is missing")
print("\n".join(problems))
sys.exit(1 if problems else 0)
