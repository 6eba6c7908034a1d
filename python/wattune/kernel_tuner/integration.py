"""Results of tuning in files for applications: store_results(), TuneResults and create_device_targets()."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .._errors import exception, wrong
from .caches import plain
from .metrics import Entry, Objectives
from .sources import looks_like_a_filename

_FORMAT = "1.0"
_NEEDED = ("version_number", "tunable_parameters", "kernel_name", "objective", "data")


def _size_text(problem_size: Any) -> str:
    if isinstance(problem_size, str):
        return problem_size
    given = problem_size if isinstance(problem_size, (list, tuple)) else (problem_size,)
    return "x".join(str(each) for each in given)


def _objective(objective: Any, higher_is_better: Any) -> tuple[str, bool]:
    found = Objectives(objective, higher_is_better, None)
    return found.names[0], found.directions[found.names[0]]


def _text(kernel_string: Any) -> str | None:
    if isinstance(kernel_string, os.PathLike) or looks_like_a_filename(kernel_string):
        return Path(kernel_string).read_text(encoding="utf-8")
    return kernel_string if isinstance(kernel_string, str) and kernel_string else None


def _read_results_file(filename: str | os.PathLike[str]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Returns head and data of a results file. Raises ParseError for a file that is none."""
    file = os.fspath(filename)
    try:
        head = json.loads(Path(file).read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise exception("parse_error", f"{file}: {error}", {"message": str(error), "file": file}) from None
    missing = [name for name in _NEEDED if name not in head]
    if missing or head["version_number"] != _FORMAT:
        reason = f"`{missing[0]}` is missing" if missing else f"version {head['version_number']}, not {_FORMAT}"
        raise exception("parse_error", f"{file}: this is no results file: {reason}", {"message": reason, "file": file})
    data: list[dict[str, Any]] = head.pop("data")
    return head, data


def store_results(
    results_filename: str | os.PathLike[str],
    kernel_name: str,
    kernel_string: Any,
    tune_params: Mapping[str, Sequence[Any]],
    problem_size: Any,
    results: Sequence[Entry],
    env: Mapping[str, Any],
    top: float = 3,
    objective: Any = None,
    objective_higher_is_better: Any = None,
) -> None:
    """Writes the results within `top` percent of the best into a JSON file.

    They take the place of those that the file has for this device and problem size.

    Raises MismatchError (a ValueError) if the file is of another kernel, objective or other parameters.
    """
    name, is_high = _objective(objective, objective_higher_is_better)
    correct = [entry for entry in results if name in entry and "__error__" not in entry]
    if not correct:
        raise wrong(f"no result has `{name}`")
    best = (max if is_high else min)(entry[name] for entry in correct)
    limit = best * (1 - top / 100) if is_high else best * (1 + top / 100)
    chosen = [entry for entry in correct if (entry[name] > limit if is_high else entry[name] < limit)]
    head, data = _head(os.fspath(results_filename), kernel_name, kernel_string, list(tune_params), name, is_high)
    device = re.sub(r"[^0-9a-zA-Z]+", "_", str(env["device_name"]).strip())
    size = _size_text(problem_size)
    data = [each for each in data if (each["device_name"], each["problem_size"]) != (device, size)]
    for entry in chosen:
        parameters = {each: entry[each] for each in tune_params}
        data.append({"device_name": device, "problem_size": size, "tunable_parameters": parameters, name: entry[name]})
    text = json.dumps({**head, "data": data}, indent="", default=plain)
    Path(results_filename).write_text(text, encoding="utf-8")


def _head(file: str, kernel_name: str, kernel_string: Any, names: list[str], objective: str,
          is_high: bool) -> tuple[dict[str, Any], list[dict[str, Any]]]:  # fmt: skip
    """Returns head and data of an existing file, checked, or of a new one."""
    if os.path.isfile(file):
        found, data = _read_results_file(file)
        for what, there, here in (
            ("kernel", found["kernel_name"], kernel_name),
            ("objective", found["objective"], objective),
        ):
            if there != here:
                reason = f"the file is of another {what}: {there}, not {here}"
                raise exception("mismatch", f"{file}: {reason}", {"message": reason, "file": file})
        unknown = [name for name in names if name not in found["tunable_parameters"]]
        if unknown:
            reason = f"the file has no parameter `{unknown[0]}`"
            raise exception("mismatch", f"{file}: {reason}", {"message": reason, "file": file})
        return found, data
    head: dict[str, Any] = {"version_number": _FORMAT, "kernel_name": kernel_name}
    text = _text(kernel_string)
    if text is not None:
        head["kernel_string"] = text
    head.update(objective=objective, objective_higher_is_better=is_high, tunable_parameters=names)
    return head, []


class TuneResults:
    """The results of a file that store_results() wrote."""

    def __init__(self, results_filename: str | os.PathLike[str]) -> None:
        if not os.path.isfile(results_filename):
            raise wrong("there is no such results file", os.fspath(results_filename))
        self.meta, self.data = _read_results_file(results_filename)
        if not self.data:
            raise wrong("the results file is empty", os.fspath(results_filename))
        self.objective: str = self.meta["objective"]
        self.objective_higher_is_better = bool(self.meta.get("objective_higher_is_better", False))

    def get_best_config(self, gpu_name: str = "default", problem_size: Any = None) -> dict[str, Any]:
        """Returns the parameters of the best configuration for a device and a problem size.

        For a size or a device that the file lacks, it is the configuration that is the most often among the good ones.
        """
        device = re.sub(r"[^0-9a-zA-Z]+", "_", gpu_name.strip())
        of_device = [each for each in self.data if each["device_name"] == device]
        if of_device and problem_size:
            size = _size_text(problem_size)
            of_size = [each for each in of_device if each["problem_size"] == size]
            if of_size:
                choose = max if self.objective_higher_is_better else min
                best = choose(of_size, key=lambda each: each[self.objective])
                return dict(best["tunable_parameters"])
        return self._usual(of_device or self.data)

    def _usual(self, data: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Returns the configuration that occurs most often, of several the one whose objectives add up to the best."""
        groups: dict[str, list[dict[str, Any]]] = {}
        for each in data:
            groups.setdefault(repr(each["tunable_parameters"]), []).append(each)
        most = max(map(len, groups.values()))
        sums = [(sum(each[self.objective] for each in group), group) for group in groups.values() if len(group) == most]
        choose = max if self.objective_higher_is_better else min
        return dict(choose(sums, key=lambda pair: pair[0])[1][0]["tunable_parameters"])


def _macros(parameters: Mapping[str, Any]) -> str:
    return "\n".join(f"#define {name} {value}" for name, value in parameters.items())


def create_device_targets(
    header_filename: str | os.PathLike[str],
    results_filename: str | os.PathLike[str],
    objective: Any = None,
    objective_higher_is_better: Any = None,
) -> None:
    """Writes a C header with the macros of the best configuration for each device of a results file, and a default.

    Compile with -DTARGET_name for a device; while a kernel is tuned, the header defines nothing.
    """
    _objective(objective, objective_higher_is_better)
    results = TuneResults(results_filename)
    lines = ["/* Written from results of tuning; changes will be lost. */", "#pragma once", "#ifndef kernel_tuner", ""]
    for number, device in enumerate(dict.fromkeys(each["device_name"] for each in results.data)):
        lines += [
            f"#{'ifdef' if number == 0 else 'elif defined'} TARGET_{device}".replace(
                "elif defined TARGET", "elif TARGET"
            )
        ]
        lines += [_macros(results.get_best_config(device)), ""]
    lines += ["#else /* default configuration */", _macros(results.get_best_config()), "#endif", "", "#endif", ""]
    Path(header_filename).write_text("\n".join(lines), encoding="utf-8")
