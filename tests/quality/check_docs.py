#!/usr/bin/env python3
"""Checks the documents.

Relative links have targets, every module has a page, prose keeps to 120 columns, and programs are printed as they are.
The picture of the rooms in docs/design.md has all modules, their rooms, and the modules that each may include.
"""
import importlib.util
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


def load_layers():
    """Returns the modules that each module may include, as tools/check_layers.py knows them."""
    spec = importlib.util.spec_from_file_location("check_layers", root / "tools" / "check_layers.py")
    layers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(layers)
    return layers.ALLOWED


def drawn_rooms(text):
    """Returns each module of the picture with the modules that it includes and its rooms."""
    picture = re.search(r"^## Rooms\n.*?^```\n(.*?)^```", text, re.S | re.M).group(1)
    drawn = {}
    module = ""
    for line in picture.splitlines():
        if line.startswith("  <- "):
            drawn[module][0].update(re.findall(r"\w+", line[5:]))
        elif line.startswith("  "):
            drawn[module][1].add(line.split()[0])
        else:
            module = line.split()[0]
            drawn[module] = (set(), set())
    return drawn


def problems_of_picture():
    """Yields a line for each module whose picture differs from its folder or from its layers."""
    drawn = drawn_rooms((root / "docs" / "design.md").read_text())
    allowed = load_layers()
    for module in sorted(allowed.keys() | drawn.keys() | {p.name for p in (root / "src").iterdir() if p.is_dir()}):
        includes, rooms = drawn.get(module, (set(), set()))
        if includes == {"everything"}:
            includes = allowed.keys() - {"core", module}
        folder = root / "src" / module
        folders = {p.name for p in folder.iterdir() if p.is_dir()} - {"interface"} if folder.is_dir() else set()
        if module not in drawn or not folder.is_dir() or rooms != folders:
            yield f"docs/design.md: {module} is drawn with the rooms {sorted(rooms)} and has {sorted(folders)}"
        if includes != allowed.get(module):
            yield f"docs/design.md: {module} is drawn as including {sorted(includes)}, not {sorted(allowed.get(module, []))}"


problems = list(problems_of_picture())
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
