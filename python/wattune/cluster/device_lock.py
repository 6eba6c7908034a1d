"""A lock for each device of a machine, so that no orphan and no second cluster measures beside an evaluator."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import time

from .._errors import exception

_FOLDER = "/tmp"  # is the same for all users and all clusters of a machine; TMPDIR is not
_MOST_ON_PROCESSORS = 256


class DeviceLock:
    """The lock of a device, held until the process ends or close() is called."""

    def __init__(self, device: str, *, shared: bool, seconds: float) -> None:
        """Locks the device of this UUID or name. Raises BusyError if another process keeps it for so many seconds.

        Several evaluators may use a processor (`shared`). Each then holds a lock with a number of its own.
        """
        self._descriptor = -1
        over = time.monotonic() + seconds
        while True:
            for number in range(_MOST_ON_PROCESSORS if shared else 1):
                if self._try(f"{device}.{number}" if shared else device):
                    return
            if time.monotonic() >= over:
                break
            time.sleep(0.1)
        raise exception("busy", f"another evaluator of this machine uses the device {device}", {})

    def _try(self, name: str) -> bool:
        path = os.path.join(_FOLDER, "wattune-device-" + re.sub(r"[^A-Za-z0-9.:-]", "_", name) + ".lock")
        descriptor = _open(path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            if error.errno in (errno.EAGAIN, errno.EACCES):
                return False
            raise
        self._descriptor = descriptor
        return True

    def close(self) -> None:
        """Gives the device back."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _open(path: str) -> int:
    """Opens a lock file, also that of another user, without following a link that somebody put there."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        pass
    try:
        return os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        return os.open(path, flags)
