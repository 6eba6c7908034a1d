"""Results as Kernel Tuner's scripts expect them: dicts in milliseconds, the environment, and lines of text."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, Protocol

from .._errors import Error
from .._types import Record
from .errors import ErrorConfig, of_status
from .metrics import Entry, Objectives, with_metrics

_PHASES = {"compile_time": "compile", "verification_time": "check", "benchmark_time": "measure"}
_BOARD = {"power": "nvml_power", "energy": "nvml_energy", "temperature": "temperature", "voltage": "gr_voltage"}
_MILLIVOLTS = {"voltage": 1000.0}  # the library has V


class NothingCorrectError(Error, RuntimeError):
    """No configuration gave a right result. str() is the reason of the first one; `results` are all of them."""

    code = "launch_failed"
    results: Sequence[Entry] = ()


def compact(value: Any) -> str:
    """Returns a value with three decimals if it is a float."""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def get_config_string(params: Mapping[str, Any], keys: Any = None, units: Mapping[str, str] | None = None) -> str:
    """Returns names and values in one line, those of `keys` or all, with units."""
    wanted = keys if keys else params.keys()
    parts = []
    for name, value in params.items():
        if name in wanted:
            unit = "" if isinstance(value, ErrorConfig) else (units or {}).get(name, "")
            parts.append(f"{name}={compact(value)}{unit}")
    return ", ".join(parts)


class Collector:
    """Turns the records of a run into entries, once each, as they come."""

    def __init__(self, names: Sequence[str], metrics: Mapping[str, Any] | None, counters: Sequence[str],
                 observed: Sequence[str], ask: Callable[[Record], dict[str, Any]],
                 on_entry: Callable[[str, Entry], None]) -> None:  # fmt: skip
        self._names = list(names)
        self._metrics = metrics
        self._counters = list(counters)
        self._observed = list(observed)
        self._ask = ask
        self._on_entry = on_entry
        self._entries: dict[str, Entry] = {}

    def key(self, params: Mapping[str, Any]) -> str:
        """Returns the key of a configuration in caches: its values in the order of the parameters."""
        return ",".join(str(params[name]) for name in self._names)

    def take(self, record: Record) -> Entry:
        """Returns the entry of a record, and tells whoever wants to know when it is new."""
        key = self.key(record)
        found = self._entries.get(key)
        if found is None:
            found = self._entries[key] = self._entry(record)
            self._on_entry(key, found)
        return found

    @property
    def entries(self) -> dict[str, Entry]:
        """All entries by their keys."""
        return self._entries

    def _entry(self, record: Record) -> Entry:
        entry: Entry = {name: record[name] for name in self._names}
        if record["status"] == "correct":
            entry.update({name: record[name] for name in self._counters if name in record})
            entry.update(self._ask(record))
            entry["time"] = record["time"] * 1e3
            entry["times"] = [each * 1e3 for each in record["samples"]]
            for name in self._observed:
                if name in record:
                    entry[_BOARD.get(name, name)] = record[name] * _MILLIVOLTS.get(name, 1.0)
        else:
            entry["__error__"] = of_status(record["status"])
            entry["invalidity"] = record["status"]
            entry["message"] = record["message"] or ""
        for name, phase in _PHASES.items():
            entry[name] = record["phases"][phase] * 1e3
        if "__error__" not in entry:
            with_metrics(entry, self._metrics)
        entry["timestamp"] = str(datetime.now(timezone.utc))
        entry["strategy_time"] = 0.0
        entry["framework_time"] = 0.0
        return entry


def share_overhead(results: Sequence[Entry], seconds: float) -> None:
    """Spreads the time of a run that belongs to no configuration over all of them, as `framework_time` in ms."""
    if results:
        own = sum(sum(entry.get(name, 0.0) for name in _PHASES) for entry in results)
        for entry in results:
            entry["framework_time"] = max(seconds * 1e3 - own, 0.0) / len(results)


def add_totals(env: dict[str, Any], results: Sequence[Entry], seconds: float) -> None:
    """Adds the sums of all times, in ms, to the environment."""
    names = ("framework_time", "strategy_time", *_PHASES)
    if any(name not in entry for entry in results for name in names):
        return
    totals = {name: sum(entry[name] for entry in results) for name in names}
    env.update({f"total_{name}": total for name, total in totals.items()})
    env["overhead_time"] = seconds * 1e3 + env.get("simulated_time", 0.0) - sum(totals.values())


def raise_if_nothing_is_correct(results: Sequence[Entry]) -> None:
    """Raises NothingCorrectError if every configuration failed, and at least one not by a limit of the device."""
    if not results or any("__error__" not in entry for entry in results):
        return
    reasons = [entry for entry in results if entry.get("invalidity", "constraints") not in ("constraints", "runtime")]
    if not reasons:
        return
    first = reasons[0]
    line = str(first["message"]).strip().splitlines()
    text = f"no configuration is correct; the first reason is: {line[0] if line else first['invalidity']}"
    error = NothingCorrectError(text)
    error.message = text
    error.results = results
    raise error


class Named(Protocol):
    """A thing with a name that may be long in coming."""

    @property
    def name(self) -> str:
        """The name."""
        ...


class Console:
    """What a run prints, unless it is quiet."""

    def __init__(self, quiet: bool, verbose: bool, shown: Sequence[str], objectives: Objectives) -> None:
        self._quiet = quiet
        self._verbose = verbose
        self._objectives = objectives
        self._units = {"time": "ms", "nvml_power": "W", "nvml_energy": "J", "temperature": "C", "gr_voltage": "mV",
                       "core_freq": "MHz", "mem_freq": "MHz"}  # fmt: skip
        self._device: Named | None = None
        self._keys = list(dict.fromkeys([*shown, *objectives.names, "time"]))

    def expect(self, device: Named) -> None:
        """Takes the device, whose name is printed before the first result."""
        self._device = device

    def _announce(self) -> None:
        if self._device is not None:
            self.device(self._device.name)
            self._device = None

    def device(self, name: str, verb: str = "Using") -> None:
        """Says which device is used."""
        if not self._quiet:
            print(f"{verb}: {name}")

    def entry(self, entry: Entry) -> None:
        """Prints a result; a failed one with its reason if the run is verbose."""
        self._announce()
        if "__error__" in entry:
            if self._verbose:
                reason = str(entry.get("message", "")).strip().splitlines() or [str(entry["__error__"])]
                print(f"skipping config {get_config_string(entry, self._keys)} reason: {reason[0]}")
        elif not self._quiet:
            print(get_config_string(entry, self._keys, self._units))

    def best(self, best: Any) -> None:
        """Prints the best configuration, or those that none beats."""
        self._announce()
        if self._quiet:
            return
        names = self._objectives.names
        found = best if isinstance(best, list) else [best]
        several = len(names) > 1
        subject = f"CONFIGURATIONS FOR OBJECTIVES: {names}" if several else f"CONFIGURATION FOR OBJECTIVE {names[0]}"
        print(f"\nBEST PERFORMING {subject}:")
        for entry in found:
            print(get_config_string(entry, self._keys, self._units))

    def nothing(self) -> None:
        """Says that there are no results."""
        self._announce()
        if not self._quiet:
            print("no results to report")


def warn(text: str) -> None:
    """Warns the caller of tune_kernel()."""
    warnings.warn(text, UserWarning, stacklevel=4)


__all__ = ["Collector", "Console", "NothingCorrectError", "Objectives", "add_totals", "compact", "get_config_string",
           "raise_if_nothing_is_correct", "share_overhead", "warn"]  # fmt: skip
