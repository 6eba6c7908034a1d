"""The device of a run: its selector, its name, and what the environment tells of it."""

from __future__ import annotations

import platform as system
import threading
from collections.abc import Sequence
from typing import Any

from .. import _core
from .._errors import exception, wrong
from .._log import listen
from .sources import KernelSource

MOST_THREADS = 1024
"""The greatest block of CUDA, and the one that Kernel Tuner assumes for functions of the host."""


class _Listing:
    """The devices of this machine, listed once by a thread, while a run opens its own."""

    def __init__(self) -> None:
        self._found: list[dict[str, Any]] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._list, name="wattune-devices")
        self._thread.start()

    def _list(self) -> None:
        try:
            self._found = _core.devices()
        except BaseException as error:
            self._error = error

    def wait(self) -> list[dict[str, Any]]:
        """Returns the devices. Raises UnavailableError if no worker starts."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._found


_listing: _Listing | None = None


def _devices() -> _Listing:
    global _listing
    if _listing is None or _listing._error is not None:
        _listing = _Listing()
    return _listing


class Device:
    """A device by its selector, or several of one kind by a list. Its facts come while the run opens it."""

    def __init__(self, selectors: Sequence[str], is_host: bool, iterations: int, options: Sequence[str] | None) -> None:
        self.selector = ",".join(selectors)
        self._first = selectors[0]
        self._is_host = is_host
        self._iterations = iterations
        self._options = options
        self._listing = _devices()

    def _facts(self) -> dict[str, Any]:
        """Returns the facts. Raises NotFoundError if there is no such device."""
        listed = self._listing.wait()
        found = [each for each in listed if each["selector"] == self._first]
        if not found:
            known = ", ".join(each["selector"] for each in listed)
            text = f"there is no device `{self._first}` (there are {known})"
            raise exception("not_found", text, {"message": text})
        return found[0]

    def require(self) -> None:
        """Raises NotFoundError if there is no such device."""
        self._facts()

    @property
    def name(self) -> str:
        """The name that results are shown with."""
        return str(self._facts()["name"])

    @property
    def cache_name(self) -> str:
        """The name that Kernel Tuner's caches have: for the host, what Python calls the processor."""
        return system.processor() if self._is_host else self.name

    @property
    def environment(self) -> dict[str, Any]:
        """What tune_kernel() returns about the device."""
        facts = self._facts()
        return {
            "device_name": facts["name"],
            "driver_version": facts["driver_version"],
            "iterations": self._iterations,
            "compiler_options": self._options,
        }


def _number(what: str, given: Any) -> int:
    if not hasattr(given, "__index__") or int(given) < 0:
        raise wrong(f"`{what}` is the number of a device or platform", repr(given))
    return int(given)


def find_device(source: KernelSource, device: Any, platform: Any, parallel: Any, iterations: int,
                compiler_options: Sequence[str] | None) -> Device:  # fmt: skip
    """Returns the device that the arguments of tune_kernel() name."""
    listen()
    number = _number("device", device)
    if source.is_host:
        selectors = ["host:0"]
    elif source.is_cuda:
        selectors = [f"cuda:{number}"]
    else:
        selectors = [f"opencl:{_number('platform', platform)}:{number}"]
    if parallel and not source.is_host:
        backend = selectors[0].partition(":")[0]
        same = [each["selector"] for each in _devices().wait() if each["backend"] == backend]
        count = len(same) if parallel is True else _number("parallel", parallel)
        selectors = [*selectors, *(each for each in same if each not in selectors)][: max(count, 1)]
    return Device(selectors, source.is_host, iterations, compiler_options)
