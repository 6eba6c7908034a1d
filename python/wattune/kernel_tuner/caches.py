"""Cache files: one JSON object, a line for each configuration, which Kernel Tuner reads and continues, too."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .._errors import exception, wrong
from .errors import ErrorConfig, marked
from .metrics import Entry

_CLOSED = ("}\n}", "}}}")
_END = "}\n}"
_TIMES = ("compile_time", "verification_time", "benchmark_time")


def plain(value: Any) -> Any:
    """Returns a value that JSON has for one of NumPy, or the text of any other object."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


class Header(NamedTuple):
    """What a cache belongs to. Files that tell otherwise are refused."""

    device_name: str
    kernel_name: str
    problem_size: Any  # "callable" for a function
    tune_params: Mapping[str, Sequence[Any]]
    objective: Sequence[str]

    def as_json(self) -> dict[str, Any]:
        """Returns the head of a file, with no configurations."""
        return {
            "device_name": self.device_name, "kernel_name": self.kernel_name, "problem_size": self.problem_size,
            "tune_params_keys": list(self.tune_params),
            "tune_params": {name: list(values) for name, values in self.tune_params.items()},
            "objective": list(self.objective), "cache": {},
        }  # fmt: skip


def file_of(cache: str | os.PathLike[str]) -> str:
    """Returns the name of a cache file, which ends in .json."""
    name = os.fspath(cache)
    return name if name.endswith(".json") else name + ".json"


def _broken(file: str, reason: str) -> Exception:
    return exception("parse_error", f"{file}: {reason}", {"message": reason, "file": file})


def _mended(text: str) -> str:
    """Returns the text of a file that was not closed as if it had been, up to its last complete line."""
    text = text.strip()
    if text.endswith(_CLOSED):
        return text
    if not text.endswith((",", "{", "}")):  # a line that was torn
        text = text[: text.rfind("\n")].rstrip()
    return text.removesuffix(",") + _END


def read_cache(cache: str | os.PathLike[str], open_cache: bool = False) -> dict[str, Any]:
    """Reads a cache file of any age, closed or not. Failed configurations have their marker under `__error__`.

    With `open_cache`, the file is opened for further lines. Raises NotFoundError and ParseError.
    """
    file = os.fspath(cache)
    try:
        text = Path(file).read_text(encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise exception("not_found", f"{file}: {reason}", {"message": reason, "file": file}) from None
    mended = _mended(text)
    try:
        found = json.loads(mended)
    except json.JSONDecodeError as error:
        try:
            found = json.loads(text)
        except json.JSONDecodeError:
            raise _broken(file, f"this is no cache of Kernel Tuner, {error}") from None
    if not isinstance(found, dict) or not isinstance(found.get("cache"), dict) or "tune_params_keys" not in found:
        raise _broken(file, "this is no cache of Kernel Tuner: `cache` or `tune_params_keys` is missing")
    for key, entry in found["cache"].items():
        missing = [name for name in found["tune_params_keys"] if name not in entry]
        if missing:
            raise _broken(file, f"the configuration {key} lacks `{missing[0]}`")
        marker = marked(entry)
        if marker is not None:
            entry["__error__"] = marker
            if not isinstance(entry.get("time", 0.0), (int, float)) or entry.get("time", 0.0) >= 1e20:
                del entry["time"]
    if open_cache:
        _replace(file, _text_of(found)[: -len(_END)] + ("," if found["cache"] else ""))
    return found


def _text_of(found: Mapping[str, Any]) -> str:
    head = {name: value for name, value in found.items() if name != "cache"}
    lines = ",".join(_line(key, entry) for key, entry in found["cache"].items())
    return json.dumps({**head, "cache": {}}, default=plain, indent="")[: -len(_END)] + lines + _END


def _line(key: str, entry: Entry) -> str:
    values = {name: str(value) if isinstance(value, ErrorConfig) else value for name, value in entry.items()}
    return "\n" + json.dumps({key: values}, default=plain)[1:-1]


def _replace(file: str, text: str) -> None:
    """Writes a file anew, so that a crash leaves the old or the new one."""
    beside = f"{file}.new"
    Path(beside).write_text(text, encoding="utf-8")
    os.replace(beside, file)


class CacheFile:
    """A cache that grows by a line for each configuration.

    Raises MismatchError if the file is of another device, kernel, problem size or other parameters.
    """

    def __init__(self, cache: str | os.PathLike[str], header: Header) -> None:
        self.file = file_of(cache)
        self._names = list(header.tune_params)
        self.known: dict[str, Entry] = {}
        """The configurations that the file had, by their keys."""
        if os.path.isfile(self.file):
            found = read_cache(self.file)
            check_header(self.file, found, header)
            read_cache(self.file, open_cache=True)
            self.known = by_key(found)
        else:
            _replace(self.file, json.dumps(header.as_json(), default=plain, indent="")[: -len(_END)])

    def add(self, key: str, entry: Entry) -> None:
        """Appends a configuration."""
        with open(self.file, "a", encoding="utf-8") as file:
            file.write(_line(key, entry) + ",")

    def close(self) -> None:
        """Completes the file, so that any reader of JSON reads it."""
        close_cache(self.file)


def close_cache(cache: str | os.PathLike[str]) -> None:
    """Completes a cache file. Raises InvalidArgumentError if there is none."""
    file = os.fspath(cache)
    if not os.path.isfile(file):
        raise wrong("there is no such cache file", file)
    text = Path(file).read_text(encoding="utf-8")
    if not text.rstrip().endswith(_CLOSED):
        _replace(file, text.rstrip().removesuffix(",") + _END)


def by_key(found: Mapping[str, Any]) -> dict[str, Entry]:
    """Returns the configurations of a cache by the values of their parameters, whatever their keys are."""
    names = found["tune_params_keys"]
    return {",".join(str(entry[name]) for name in names): dict(entry) for entry in found["cache"].values()}


def check_header(file: str, found: Mapping[str, Any], header: Header, *, is_simulated: bool = False) -> None:
    """Raises MismatchError if a cache is of something else than the caller asks for."""
    wanted: list[tuple[str, Any, Any]] = [("kernel", found.get("kernel_name"), header.kernel_name)]
    if not is_simulated:
        wanted.insert(0, ("device", found.get("device_name"), header.device_name))
    if "problem_size" in found and header.problem_size != "callable":
        wanted.append(("problem size", _extents(found["problem_size"]), _extents(header.problem_size)))
    wanted.append(("tunable parameters", list(found["tune_params_keys"]), list(header.tune_params)))
    for what, there, here in wanted:
        if there != here:
            is_order = what == "tunable parameters" and sorted(there) == sorted(here)
            reason = f"the cache has {'another order of the' if is_order else 'another'} {what}: {there}, not {here}"
            raise exception("mismatch", f"{file}: {reason}", {"message": reason, "file": file})


def _extents(size: Any) -> list[Any]:
    given = [size] if isinstance(size, (int, str)) or hasattr(size, "__index__") else list(size)
    return [int(each) if hasattr(each, "__index__") else each for each in given]


def without_times(entry: Entry) -> Entry:
    """Returns a copy of an entry that costs nothing this time."""
    return {**entry, **dict.fromkeys(_TIMES, 0)}
