"""Runs clang-tidy with the checks of .clang-tidy over every source of the library, the program and lab/emulation.

    check_tidy.py             all sources
    check_tidy.py --changed   those that the last commit or the working tree changed, or whose own header they changed

Reading headers is most of the work, so sources go together in the groups of the preset's unity build. A group with
findings is checked source by source, which also settles groups whose sources only have local names in common.
Run in the project's folder, after `cmake --preset tidy`.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

FOLDERS = [pathlib.Path(folder).resolve() for folder in ("src", "lab/emulation")]


def groups():
    """Yields the groups of sources of the library, the program and lab/emulation, each with its compiler flags."""
    for entry in json.loads(pathlib.Path("build/tidy/compile_commands.json").read_text()):
        unit = pathlib.Path(entry["file"])
        inside = re.findall(r'#include "(.*)"', unit.read_text()) if unit.suffix == ".cxx" else [str(unit)]
        if all(any(folder in pathlib.Path(source).parents for folder in FOLDERS) for source in inside):
            words = shlex.split(entry["command"])
            yield unit, inside, words[1 : words.index("-o")]


def findings(source, flags):
    """Returns the findings of clang-tidy for a source; empty if there are none."""
    result = subprocess.run(["clang-tidy-15", "--quiet", str(source), "--", *flags], capture_output=True, text=True)
    return "" if result.returncode == 0 else result.stdout or result.stderr


def check(group):
    unit, sources, flags = group
    if len(sources) > 1 and not findings(unit, flags):
        return ""
    return "".join(findings(source, flags) for source in sources)


def changed_stems():
    """Returns the paths in src/ and include/wattune/, without suffix, that differ from the commit before the last."""
    diff = subprocess.run(["git", "diff", "--name-only", "HEAD~1"], capture_output=True, text=True)
    if diff.returncode != 0:  # a checkout of a single commit, whose changes are unknown
        return None
    return {re.sub(r"^(src|include/wattune)/|\.\w+$", "", path) for path in diff.stdout.split()}


def changed_groups():
    """Yields each changed source as a group of its own, with the flags of the group that it is built in."""
    stems = changed_stems()
    for unit, sources, flags in groups():
        for source in sources:
            stem = str(pathlib.Path(source).relative_to(pathlib.Path.cwd()).with_suffix("")).removeprefix("src/")
            if stems is None or stem in stems:
                yield unit, [source], flags


def main():
    wanted = changed_groups() if sys.argv[1:] == ["--changed"] else groups()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for text in pool.map(check, wanted) if text]
    sys.stdout.write("".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
