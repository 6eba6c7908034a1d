"""Files of results in the format T4, and of the machine on which they were measured."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .caches import file_of, plain
from .errors import CompilationFailedConfig, InvalidConfig, RuntimeFailedConfig
from .metrics import Entry

_VERSION = "1.0.0"
_PHASES = {"compilation": "compile_time", "benchmark": "benchmark_time", "framework": "framework_time",
           "search_algorithm": "strategy_time", "validation": "verification_time"}  # fmt: skip
_OTHERS = ("times", "timestamp", "__error__", "invalidity", "message", "optimal")
_INVALID = {InvalidConfig: "constraints", CompilationFailedConfig: "compile", RuntimeFailedConfig: "runtime"}


def _t4_result(entry: Entry, names: Sequence[str], objective: str) -> dict[str, Any]:
    invalidity = (
        entry.get("invalidity") or _INVALID.get(type(entry["__error__"]), "runtime")
        if "__error__" in entry
        else "correct"
    )
    times: dict[str, Any] = {name: entry.get(key, 0.0) for name, key in _PHASES.items()}
    times["runtimes"] = entry.get("times", [])
    hidden = {*names, *_PHASES.values(), *_OTHERS}
    figures = [(name, value) for name, value in entry.items() if name not in hidden]
    return {
        **({"timestamp": entry["timestamp"]} if "timestamp" in entry else {}),
        "configuration": {name: entry[name] for name in names}, "times": times, "invalidity": invalidity,
        "correctness": 0 if invalidity == "correctness" else 1,
        "measurements": [{"name": name, "value": value, "unit": "ms" if name.startswith("time") else ""}
                         for name, value in figures],
        "objectives": [objective],
    }  # fmt: skip


def get_t4_results(results: Sequence[Entry], tune_params: Mapping[str, Any], objective: str = "time") -> dict[str, Any]:
    """Returns results as the format T4 has them."""
    found = [_t4_result(entry, list(tune_params), objective) for entry in results]
    return {"results": found, "schema_version": _VERSION, "metadata": {"timeunit": "milliseconds"}}


def _write(filename: str | os.PathLike[str], content: Any) -> None:
    file = Path(file_of(filename))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, default=plain), encoding="utf-8")


def store_output_file(output_filename: str | os.PathLike[str], results: Sequence[Entry], tune_params: Mapping[str, Any],
                      objective: str = "time") -> None:  # fmt: skip
    """Writes results as a T4 file."""
    _write(output_filename, get_t4_results(results, tune_params, objective))


def _output_of(*command: str) -> str | None:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    except (OSError, subprocess.SubprocessError):
        return None


def get_t4_metadata() -> dict[str, Any]:
    """Returns what is known of the machine, as T4's file of metadata has it."""
    import wattune

    listed = _output_of("lshw", "-json", "-quiet")
    hardware = json.loads(listed) if listed and listed.strip() else ["lshw is not there"]
    system = {"linux": "Linux", "darwin": "Mac", "win32": "Windows"}.get(sys.platform, sys.platform)
    board = _output_of("nvidia-smi", "-q")
    environment = {
        "device_query": {"nvidia-smi": board} if board else {},
        "requirements": [f"wattune=={wattune.__version__}", f"python=={platform.python_version()}"],
    }
    description = hardware if isinstance(hardware, list) else [hardware]
    metadata = {
        "operating_system": system,
        "hardware": {"hardware_description": description},
        "environment": environment,
    }
    return {"schema_version": _VERSION, "metadata": metadata}


def store_metadata_file(metadata_filename: str | os.PathLike[str]) -> None:
    """Writes what is known of the machine as a T4 file of metadata."""
    _write(metadata_filename, get_t4_metadata())
