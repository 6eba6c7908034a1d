#!/usr/bin/env python3
"""Checks that modules include each other in one direction only.

    tools/check_layers.py [ROOT]

Reads every #include of include/wattune/ and src/ and prints file and line of each that points at a module which the
including one may not know (ALLOWED, as drawn in docs/design.md), at a private header of another module, or at a
third-party header outside its home. A module shows others its public headers (include/wattune/MODULE) and those of
src/MODULE/interface; all headers of core are for everyone. No module includes the lab (lab/), which may include all of
them. Exit status 1 when there is any.
"""
import pathlib
import re
import sys

# Module -> modules whose headers it may include. Everyone may include core and itself.
ALLOWED = {
    "core": set(),
    "space": set(),
    "spec": {"space"},
    "search": {"space"},
    "backend": set(),
    "measure": {"backend"},
    "store": set(),
    "report": set(),
    "power": {"backend", "store"},
    "model": set(),
    "slice": set(),
    "simulate": {"backend", "power", "model", "slice"},
    "tune": {"space", "search", "backend", "measure", "power", "model"},
    "score": {"space", "search", "tune"},
    "dynamic": {"space", "spec", "search", "backend", "measure", "power", "model", "store", "tune"},
    "schedule": {"space", "backend", "power", "measure", "model", "slice", "simulate", "store", "tune"},
    "company": {"space", "search", "backend", "measure", "power", "tune", "schedule"},
    "cli": {"space", "spec", "search", "backend", "measure", "power", "model", "simulate", "store", "report", "tune", "score",
            "dynamic", "slice", "schedule", "company"},
}
# Headers that stay behind one module's interface.
HOMES = {"CL/": {"backend"}, "toml++/": {"spec"}, "CLI/": {"cli"}, "Eigen/": {"model"}, "nlohmann/": {"spec", "store", "power", "simulate", "schedule", "cli"}, "xxhash.h": {"core", "store"}, "sqlite3.h": {"store"},
         "spdlog/": {"core"}}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def module_of(path: pathlib.PurePath) -> str | None:
    parts = path.parts
    if parts[:2] == ("include", "wattune"):
        return parts[2]
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def included_module(included: str) -> str | None:
    parts = included.split("/")
    if parts[0] == "wattune" and len(parts) > 2:
        return parts[1]
    return parts[0] if parts[0] in ALLOWED and len(parts) > 1 else None


def problem(module: str, included: str, public: bool) -> str | None:
    for prefix, homes in HOMES.items():
        if included.startswith(prefix):
            if public:
                return "is not for public headers"
            return None if module in homes else f"belongs to {', '.join(sorted(homes))}"
    if included.startswith("lab/"):
        return "is of the lab, which the product does without"
    other = included_module(included)
    if public and other is not None and not included.startswith("wattune/"):
        return "is not public"
    if other in (None, "core", module):
        return None
    if other not in ALLOWED[module]:
        return f"{module} may not include {other}"
    shown = included.startswith(("wattune/", f"{other}/interface/"))
    return None if shown else f"is private to {other}"


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    found = 0
    for path in sorted([*root.glob("include/wattune/**/*.h"), *root.glob("src/**/*.h"), *root.glob("src/**/*.cc")]):
        relative = path.relative_to(root)
        module = module_of(relative)
        if module not in ALLOWED:
            print(f"{relative}:1: module {module} is not listed in tools/check_layers.py")
            found += 1
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            why = match and problem(module, match[1], relative.parts[0] == "include")
            if why:
                print(f"{relative}:{number}: {match[1]}: {why}")
                found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
