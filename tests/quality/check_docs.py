#!/usr/bin/env python3
"""Checks the documents.

Relative links have targets, every module has a page, prose keeps to 120 columns, and programs are printed as they are.
"""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
widest = 120


def lines_of_prose(text):
    """Yields number and text of each line outside of code, tables, headings and pictures."""
    in_code = False
    for number, line in enumerate(text.splitlines(), 1):
        start = line.lstrip()
        if start.startswith("```"):
            in_code = not in_code
        elif not in_code and not start.startswith(("|", "#", "![")):
            yield number, line


def can_break(line):
    """Tells whether a line has several words. A single one, such as a link, cannot break; a list's mark is no word."""
    return len(re.sub(r"^\s*([-*+]|\d+\.)?\s*", "", line).split()) > 1


def printed_programs(text):
    """Yields the file that a line links to and ends with a colon, and the block of C++ behind it."""
    for match in re.finditer(r"\]\(([^)]+\.cc)\):\n+```cpp\n(.*?)\n```", text, re.S):
        yield match.group(1), match.group(2)


problems = []
pages = subprocess.run(["git", "ls-files", "*.md"], cwd=root, capture_output=True, text=True, check=True).stdout.split()
for page in pages:
    text = (root / page).read_text()
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        if not ((root / page).parent / target).exists():
            problems.append(f"{page}: link to missing {target}")
    for program, printed in printed_programs(text):
        if printed not in ((root / page).parent / program).read_text():
            problems.append(f"{page}: {program} is printed otherwise than it is")
    for number, line in lines_of_prose(text):
        if len(line) > widest and can_break(line):
            problems.append(f"{page}:{number}: {len(line)} columns of prose; wrap at {widest}")
for module in sorted(p.name for p in (root / "src").iterdir() if p.is_dir()):
    if not (root / "docs" / f"{module}.md").exists():
        problems.append(f"docs/{module}.md is missing")
print("\n".join(problems))
sys.exit(1 if problems else 0)
