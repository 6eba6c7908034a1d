"""NVMLObserver: power, energy, temperature, voltage and clocks of a board, and what it can be set to."""

from __future__ import annotations

import math
import threading
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from ..refusals import refused
from ._board import Board
from .observer import BenchmarkObserver

SENSORS = {"nvml_power": "power", "nvml_energy": "energy", "temperature": "temperature", "gr_voltage": "voltage"}
"""Observables that Wattune's sensors measure, with their names there."""
CLOCKS = ("core_freq", "mem_freq")
"""Observables that are sampled from NVML while a kernel runs."""
_SAMPLE_SECONDS = 0.001


class NVMLObserver(BenchmarkObserver):
    """Records figures of the board (W, J, degrees Celsius, mV, MHz) for each correct configuration.

    `observables` are of nvml_power, nvml_energy, temperature, gr_voltage, core_freq and mem_freq. The sensors and the
    length of the measurement are Wattune's (docs/measure.md). A window of power and energy is as long as its error
    demands. Clocks are set by the guardian process. So `continuous_duration`, `nvidia_smi_fallback` and
    `use_locked_clocks` have nothing to choose, and a warning says so.
    """

    def __init__(
        self,
        observables: Sequence[str],
        device: int | None = None,
        save_all: bool = False,
        nvidia_smi_fallback: str | None = None,
        use_locked_clocks: bool = False,
        continuous_duration: float = 1,
    ) -> None:
        supported = [*SENSORS, *CLOCKS]
        for name in observables:
            if name == "power_readings":
                raise refused("observable `power_readings`", "nvml_power is their mean over the kernel's runs")
            if name not in supported:
                raise ValueError(f"there is no observable `{name}`, only {', '.join(supported)}")
        if save_all:
            raise refused("save_all=True of NVMLObserver", "the mean over the runs is recorded")
        steering = {
            "continuous_duration": continuous_duration != 1,
            "nvidia_smi_fallback": nvidia_smi_fallback is not None,
            "use_locked_clocks": use_locked_clocks,
        }
        for name in [each for each, is_given in steering.items() if is_given]:
            warnings.warn(f"`{name}` of NVMLObserver changes nothing in Wattune (docs/power.md)", stacklevel=2)
        self.observables = list(observables)
        self.device = device

    def sensors(self) -> list[str]:
        """Returns the names of Wattune's sensors that are observed."""
        return [SENSORS[name] for name in self.observables if name in SENSORS]

    def clocks(self) -> list[str]:
        """Returns the observables that are sampled from NVML."""
        return [name for name in self.observables if name in CLOCKS]

    def get_results(self) -> dict[str, Any]:
        """Returns nothing: the figures come with the measurement."""
        return {}


class ClockMeter:
    """Samples clocks of a board while a configuration runs, as an observer of wattune.tune()."""

    def __init__(self, names: Sequence[str], device: int) -> None:
        self._names = list(dict.fromkeys(names))
        self._board = Board(device)
        self._samples: dict[str, list[int]] = {}
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def metrics(self) -> list[str]:
        """Returns the names of the figures."""
        return self._names

    def begin(self, configuration: Mapping[str, Any]) -> None:
        """Starts to sample."""
        self._samples = {name: [] for name in self._names}
        self._over.clear()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def end(self, seconds: Sequence[float]) -> dict[str, float]:
        """Ends sampling and returns mean clocks in MHz."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        return {name: sum(values) / len(values) for name, values in self._samples.items() if values}

    def _sample(self) -> None:
        while True:
            for name, values in self._samples.items():
                values.append(self._board.graphics_clock() if name == "core_freq" else self._board.memory_clock())
            if self._over.wait(_SAMPLE_SECONDS):
                return


def _chosen(values: Sequence[int], n: int | None) -> list[int]:
    if not n or len(values) <= n:
        return list(values)
    step = (len(values) - 1) / (n - 1) if n > 1 else 0
    return [values[math.ceil(i * step)] for i in range(n)]


def _told(quiet: bool, what: str, name: str, values: list[int]) -> dict[str, list[int]]:
    if not quiet:
        print(f"Using {what}:", values)
    return {name: values}


def get_nvml_gr_clocks(device: int, n: int | None = None, quiet: bool = False) -> dict[str, list[int]]:
    """Returns the parameter `nvml_gr_clock` with `n` of the graphics clocks (MHz) at the highest memory clock."""
    board = Board(device)
    clocks = board.graphics_clocks(max(board.memory_clocks()))
    return _told(quiet, "graphics clocks", "nvml_gr_clock", _chosen(clocks, n))


def get_nvml_mem_clocks(device: int, n: int | None = None, quiet: bool = False) -> dict[str, list[int]]:
    """Returns the parameter `nvml_mem_clock` with about `n` of the memory clocks (MHz)."""
    clocks = Board(device).memory_clocks()
    if n and len(clocks) > n:
        clocks = clocks[:: len(clocks) // n]
    return _told(quiet, "memory clocks", "nvml_mem_clock", clocks)


def get_nvml_pwr_limits(device: int, n: int | None = None, quiet: bool = False) -> dict[str, list[int]]:
    """Returns the parameter `nvml_pwr_limit` with `n` limits (W) in steps of 5 W, by default all of them."""
    least, most = (each / 1000 for each in Board(device).power_limits())
    count = n or int((most - least) / 5) + 1
    step = (most - least) / (count - 1) if count > 1 else 0
    limits = sorted({5 * round((least + i * step) / 5) for i in range(count)})
    return _told(quiet, "power limits", "nvml_pwr_limit", limits)


def get_idle_power(device: int, n: int = 5, sleep_s: float = 0.1) -> float:
    """Returns the mean of `n` readings of the board's power, in W, `sleep_s` apart."""
    board = Board(device)
    readings = []
    for _ in range(n):
        time.sleep(sleep_s)
        readings.append(board.power() / 1000)
    return sum(readings) / n
