"""Winners: the best known configurations of kernels, from the user's file, then from a package's file.

The version of a kernel has 32 digits: the first half tells its source, the second half the compiler. So a file that was
tuned with another compiler still serves as a guess.
"""

from __future__ import annotations

import dataclasses
import math
import os
from pathlib import Path
from typing import Any

from .. import _core
from .._errors import Error
from .arrays import Device
from .places import cache_folder, say, shipped_file

LIST = "configurations"
"""The part of a key that tells one list of configurations, or one space, from another."""

Key = dict[str, Any]
"""What tells calls apart: sizes are numbers, kinds are texts and booleans."""


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel by name, a hash of its source, and a hash of its compiler, 16 digits each."""

    name: str
    source: str
    compiler: str

    @property
    def version(self) -> str:
        return self.source + self.compiler


@dataclasses.dataclass(frozen=True)
class Known:
    """A known configuration. `exact` is False for that of another key, device or compiler; `why` says which."""

    configuration: dict[str, Any]
    seconds: float
    exact: bool
    why: str = ""
    interval: tuple[float, float] = (0.0, 0.0)
    samples: int = 0


chosen: dict[tuple[object, ...], tuple[bool, dict[str, Any]]] = {}
"""What this process chose by place: whether it is the key's own winner, and the configuration."""
agreed: dict[tuple[object, ...], dict[str, Any]] = {}
"""What the ranks of a distributed program agreed on, which counts more than all files."""


def place_of(kernel: Kernel, device: Device, key: Key) -> tuple[object, ...]:
    """Returns what identifies a key of a kernel on a model of GPU, in every process."""
    return kernel.name, kernel.version, device.name, device.architecture, tuple(key.items())


class Winners:
    """Results of the user and of packages. New ones go into the user's file."""

    def __init__(self, wisdom: str | os.PathLike[str] | None, greatest_distance: float) -> None:
        self._wisdom = wisdom
        self._greatest = greatest_distance
        self._files: tuple[Any, Any, Path, Path | None] | None = None

    @property
    def folder(self) -> Path:
        return cache_folder()

    def _opened(self) -> tuple[Any, Any, Path, Path | None]:
        """Returns the user's and the package's wisdom with their files. Reads them at first."""
        file = self.folder / "calls.wisdom"
        if self._files is None or self._files[2] != file:
            package, package_file = self._open_package()
            self._files = self._open_user(file), package, file, package_file
        return self._files

    def _open_user(self, file: Path) -> Any:
        try:
            user = _core.Wisdom(os.fspath(file) if file.exists() else "", [])
        except (Error, OSError) as error:
            say(("wisdom", file), f"{file} is not used: {error}")
            return _core.Wisdom("", [])
        for problem in user.problems():
            say(("wisdom", problem), problem)
        return user

    def _open_package(self) -> tuple[Any, Path | None]:
        if self._wisdom is None:
            return None, None
        try:
            file = shipped_file(self._wisdom)
            if not file.exists():
                say(("wisdom", file), f"the wisdom file {file} does not exist", level=20)
                return None, file
            package = _core.Wisdom("", [os.fspath(file)])
        except (Error, OSError) as error:
            say(("wisdom", self._wisdom), f"the wisdom {self._wisdom} is not used: {error}")
            return None, None
        for problem in package.problems():
            say(("wisdom", problem), problem)
        return package, file

    def reread(self) -> None:
        """Has the files read again, for what other processes wrote."""
        self._files = None

    def find(self, kernel: Kernel, device: Device, key: Key) -> Known | None:
        """Returns the winner of exactly this key on this model of GPU: the user's, else the package's."""
        common = agreed.get(place_of(kernel, device, key))
        if common is not None:
            return Known(common, 0.0, True)
        place = kernel.name, kernel.version, device.name, device.architecture
        for each in self._opened()[:2]:
            found = None if each is None else each.find(place, key)
            if found is not None:
                interval = found["low"], found["high"]
                return Known(found["configuration"], found["time"], True, "", interval, found["samples"])
        return None

    def nearest(self, kernel: Kernel, device: Device, key: Key) -> Known | None:
        """Returns the winner of the nearest key within the bound, the user's before the package's.

        It may come from another compiler, another list of configurations, or another GPU of the same architecture. Any
        of these counts more than a distance.
        """
        ranked: list[tuple[Any, ...]] = []
        for order, file in enumerate(self._opened()[2:]):
            for each in self._entries(file):
                if each["kernel"] != kernel.name or each["version"][:16] != kernel.source:
                    continue
                far = distance(each["key"], key)
                if far is None or far > self._greatest or each["architecture"] != device.architecture:
                    continue
                others = {
                    "another compiler": each["version"] != kernel.version,
                    f"another GPU, {each['device']}": each["device"] != device.name,
                    "another list of configurations": each["key"].get(LIST) != key.get(LIST),
                }
                ranked.append((sum(others.values()), far, order, len(ranked), each, others))
        if not ranked:
            return None
        _, far, _, _, found, others = min(ranked)
        reasons = [text for text, true in others.items() if true]
        if far > 0:
            reasons.insert(0, f"{shown(found['key'])}, at distance {far:.2g}")
        return Known(found["configuration"], found["time"], False, "that of " + ", ".join(reasons))

    def every(self, kernel: Kernel, device: Device) -> list[dict[str, Any]]:
        """Returns the winners of all keys of a kernel on this model of GPU."""
        return [
            each["configuration"]
            for file in self._opened()[2:]
            for each in self._entries(file)
            if (each["kernel"], each["version"], each["device"]) == (kernel.name, kernel.version, device.name)
        ]

    def _entries(self, file: Path | None) -> list[dict[str, Any]]:
        if file is None or not file.exists():
            return []
        try:
            return _core.entries_of(os.fspath(file))
        except (Error, OSError):
            return []  # the reason was said when the file was opened

    def put(
        self,
        kernel: Kernel,
        device: Device,
        key: Key,
        configuration: dict[str, Any],
        seconds: tuple[float, float, float],
        samples: int,
        *,
        tuned: bool,
        file: str | os.PathLike[str] | None = None,
    ) -> None:
        """Writes a winner into the user's file, or into `file`. A folder that cannot be written costs a line."""
        place = kernel.name, kernel.version, device.name, device.architecture
        target = Path(file) if file is not None else self.folder / "calls.wisdom"
        user = self._opened()[0]
        user.put(place, key, configuration, seconds, samples, tuned)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            written = _core.Wisdom(os.fspath(target), [])
            written.put(place, key, configuration, seconds, samples, tuned)
            written.save()
        except (Error, OSError) as error:
            say(
                ("unwritable", target),
                f"results of tuning stay in this process, since {target} is not written: {error}",
            )


def shown(key: Key) -> str:
    """Returns a text such as "M=16, types=float16"."""
    return ", ".join(f"{name}={value}" for name, value in key.items() if name != LIST)


def distance(a: Key, b: Key) -> float | None:
    """Returns the sum of |log(x / y)| over the sizes of two keys; None if their kinds or names differ."""
    if a.keys() - {LIST} != b.keys() - {LIST}:
        return None
    far = 0.0
    for name, x in a.items():
        y = b.get(name)
        if name == LIST or x == y:
            continue
        if isinstance(x, (bool, str)) or isinstance(y, (bool, str)) or y is None or x <= 0 or y <= 0:
            return None
        far += abs(math.log(x / y))
    return far
