"""Observers of tune_kernel(), divided into sensors, counters, clocks, outputs and figures of one's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._errors import wrong
from .._types import Record
from .devices import Device as FoundDevice
from .observers.ncu import NCUObserver
from .observers.nvml import ClockMeter, NVMLObserver
from .observers.observer import BenchmarkObserver, OutputObserver, overridden_hooks
from .refusals import refused


class Device:
    """What observers of one's own see of the device: its name, and the registers of the kernel measured last."""

    def __init__(self) -> None:
        self.found: FoundDevice | None = None
        self.language = ""
        self.record: Record = {}

    @property
    def name(self) -> str:
        """The name of the device."""
        return "" if self.found is None else self.found.name

    @property
    def env(self) -> dict[str, Any]:
        """What tune_kernel() returns about the device."""
        return {} if self.found is None else self.found.environment

    @property
    def num_regs(self) -> int:
        """The registers of a thread. Raises NotImplementedError if the device does not tell."""
        registers = self.record.get("registers")
        if registers is None:
            raise NotImplementedError(f"{self.language} on {self.name} does not tell the registers of a thread")
        return int(registers)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise refused(f"`dev.{name}` for observers", "`dev.name`, `dev.env` and `dev.num_regs` are there")


def _made(observer: Any, facts: Mapping[str, Any]) -> BenchmarkObserver:
    """Returns the observer that was given, or that a function makes of the device's facts."""
    for _ in range(3):
        if isinstance(observer, BenchmarkObserver):
            return observer
        if not callable(observer):
            break
        observer = observer(dict(facts))
    raise TypeError(f"an observer is derived from BenchmarkObserver, or a function that returns one, not {observer!r}")


class Observation:
    """What the observers of a run measure. Raises RefusedError for one that needs hooks of each iteration."""

    def __init__(self, observers: Sequence[Any] | None, facts: Mapping[str, Any]) -> None:
        self.device = Device()
        self.sensors: list[str] = []
        self.clocks: list[str] = []
        self.counters: list[str] = []
        self.has_board = False
        self._own: list[BenchmarkObserver] = []
        self.of_outputs: list[OutputObserver] = []
        self._of_outputs: dict[str, dict[str, Any]] = {}
        self._number = int(facts.get("device") or 0)
        for each in observers or ():
            self._divide(_made(each, facts))

    def _divide(self, observer: BenchmarkObserver) -> None:
        hooks = overridden_hooks(observer)
        if hooks:
            instead = "derive from OutputObserver, or measure with an observer of wattune.tune() (docs/python.md)"
            raise refused(f"hook {hooks[0]}() of the observer {type(observer).__name__}", instead)
        if isinstance(observer, NVMLObserver):
            self.has_board = True
            self.sensors += observer.sensors()
            self.clocks += observer.clocks()
            self._number = self._number if observer.device is None else observer.device
        elif isinstance(observer, NCUObserver):
            self.counters += observer.metrics
        elif isinstance(observer, OutputObserver):
            self.of_outputs.append(observer)
        else:
            self._own.append(observer)
        observer.register_device(self.device)

    @property
    def figures(self) -> list[str]:
        """The names of the sensors and clocks in records."""
        return [*self.sensors, *self.clocks]

    def meters(self) -> list[Any]:
        """Returns the observers of wattune.tune() that these observers need."""
        return [ClockMeter(self.clocks, self._number)] if self.clocks else []

    def check_parameters(self, names: Sequence[str]) -> None:
        """Raises InvalidArgumentError for parameters of the board without an observer of the board."""
        for name in names:
            if name.startswith("nvml_") and not self.has_board:
                raise wrong(f"the parameter `{name}` needs an NVMLObserver among the observers")
            if name.startswith("tegra_"):
                raise refused(f"parameter `{name}`", "nvml_gr_clock sets the clock of boards that NVML knows")
            if name == "cuda_sm_percentage":
                raise refused("parameter `cuda_sm_percentage`", "wattune slice measures kernels on a share of a GPU")

    def take_outputs(self, key: str, answers: Any, outputs: Sequence[Any]) -> None:
        """Shows outputs to the observers of outputs, and keeps their figures."""
        figures: dict[str, Any] = {}
        for observer in self.of_outputs:
            observer.process_output(answers, outputs)
            figures.update(observer.get_results())
        self._of_outputs[key] = figures

    def ask(self, key: str, params: Mapping[str, Any], record: Record) -> dict[str, Any]:
        """Returns the figures of all observers of one's own for a correct record."""
        figures = dict(self._of_outputs.pop(key, {}))
        self.device.record = record
        for observer in self._own:
            observer.register_configuration(dict(params))
            found = observer.get_results()
            if not isinstance(found, Mapping):
                raise TypeError(f"get_results() of {type(observer).__name__} returns a dict, not {found!r}")
            figures.update(found)
        return figures
