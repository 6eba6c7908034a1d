"""An evaluator: the process with a device that answers requests. Every engine runs answer() in it."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from .. import _core
from .._errors import BusyError, Error, exception
from . import bundle, message
from .device_lock import DeviceLock

_PR_SET_PDEATHSIG = 1
_SMI_FACTS = ("uuid", "power.limit", "clocks.applications.graphics", "clocks.applications.memory", "clocks.max.sm",
              "clocks.max.memory", "ecc.mode.current", "mig.mode.current")  # fmt: skip
_SECONDS_FOR_LOCK = 10.0  # that the process before this one may take to end


class _Open:
    """A problem that is open on this process's device."""

    def __init__(self, request: dict[str, Any], folder: Path) -> None:
        self.key = request
        spec = _core.load(str(folder / request["spec"]), request["sizes"], request["goals"], True)
        options: dict[str, Any] = {**request["options"], "stop": _core.StopRule(None, None, None, None, None)}
        self.lock: DeviceLock | None = None
        device: dict[str, Any] = {}
        if request["recording"]:
            options["recording"] = str(folder / request["recording"])
        else:
            self.lock, device = _lock_one(_core.devices_for(spec, options["device"]))
            options["device"] = device["selector"]
        try:
            self.evaluator = _core.Evaluator(spec, options)
        except BaseException:
            self.close()
            raise
        self.hello = {
            "pid": os.getpid(), "python": sys.version.split()[0],
            "wattune": _core.__version__, "device": {**self.evaluator.device(), "uuid": device.get("uuid", "")},
            "identity": {**self.evaluator.identity(), **_settings(device)},
            "description": self.evaluator.description(), "deadline": self.evaluator.deadline(),
            "holds_contests": self.evaluator.holds_contests(),
        }  # fmt: skip

    def close(self) -> None:
        """Gives the device back."""
        if self.lock is not None:
            self.lock.close()


_OPEN: _Open | None = None


def prepare(parent: int | None = None) -> None:
    """Makes this process end with its parent, and deaf to the Ctrl-C of the driver's terminal."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent is not None and os.getppid() != parent:  # it ended before the call above
        os._exit(1)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def answer(text: bytes, node: str = "") -> bytes:
    """Returns the reply to a request. Failures are replies, too; only a request that is none raises."""
    request = message.parse_request(text)
    began = time.perf_counter()
    try:
        status, body = _answer(request, node)
    except Error as error:
        status, body = message.FAILED, message.to_json({"code": error.code, "text": str(error)})
    except Exception as error:
        described = {"code": "internal", "text": f"{type(error).__name__}: {error}"}
        status, body = message.FAILED, message.to_json(described)
    spent = time.perf_counter() - began
    return message.Reply(status, request.run, request.ticket, request.epoch, spent, body).to_bytes()


def _answer(request: message.Request, node: str) -> tuple[bytes, bytes]:
    if request.kind == message.RUN:
        if _OPEN is None:
            raise exception("internal", "the evaluator has no problem open", {})
        return message.DONE, _OPEN.evaluator.run(request.body)
    if request.kind == message.BUNDLE:
        hash, data = request.body[:64].decode("ascii", "replace"), request.body[64:]
        bundle.unpack(hash, data)
        return message.DONE, b""
    if request.kind == message.OPEN:
        return _open(message.from_json(request.body), node)
    raise exception("parse_error", f"the request is of no known kind: {request.kind!r}", {})


def _open(request: dict[str, Any], node: str) -> tuple[bytes, bytes]:
    global _OPEN
    if request["wattune"] != _core.__version__:
        text = f"this machine has Wattune {_core.__version__}, the driver {request['wattune']}"
        raise exception("mismatch", text, {})
    folder = bundle.folder_of(request["bundle"])
    if not folder.is_dir():
        return message.NEEDS_BUNDLE, b""
    if _OPEN is None or _OPEN.key != request:
        if _OPEN is not None:
            _OPEN.close()
            _OPEN = None
        _OPEN = _Open(request, folder)
    return message.DONE, message.to_json({**_OPEN.hello, "node": node or socket.gethostname()})


def _lock_one(devices: list[dict[str, Any]]) -> tuple[DeviceLock, dict[str, Any]]:
    """Locks the first device that no other evaluator has. Raises BusyError if there is none."""
    known = [{**device, **_facts_of(device)} for device in devices]
    for facts in known:
        try:
            return _lock(facts, 0.0), facts
        except BusyError:
            continue
    return _lock(known[0], _SECONDS_FOR_LOCK), known[0]


def _lock(facts: dict[str, Any], seconds: float) -> DeviceLock:
    shared = facts["kind"] not in ("gpu", "accelerator")
    return DeviceLock(facts.get("uuid") or facts["selector"], shared=shared, seconds=seconds)


def _facts_of(device: dict[str, Any]) -> dict[str, str]:
    """Returns what nvidia-smi tells of a board: UUID, power limit, clocks, ECC, MIG. Other devices have none."""
    if device["backend"] != "cuda" or not device["pci_bus_id"]:
        return {}
    words = ["nvidia-smi", "--query-gpu=" + ",".join(_SMI_FACTS), "--format=csv,noheader,nounits",
             "--id=" + device["pci_bus_id"]]  # fmt: skip
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return {}
    return dict(zip(_SMI_FACTS, (each.strip() for each in done.stdout.strip().split(","))))


def _settings(device: dict[str, Any]) -> dict[str, str]:
    """Returns the part of these facts that equal evaluators share."""
    return {name: device[name] for name in _SMI_FACTS if name != "uuid" and name in device}
