"""Channel: messages between a process and its servers, each a pickle in one packet."""

from __future__ import annotations

import os
import pickle
import select
import socket
import tempfile

_MOST_BYTES = 60_000  # of a packet; longer messages travel in a file


class Silent(Exception):
    """No message came in time."""


class Gone(Exception):
    """The other side has closed the channel or is dead."""


class Channel:
    """One end of a socket that keeps the bounds of messages. One thread at a time uses it."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    @staticmethod
    def pair() -> tuple[Channel, socket.socket]:
        """Returns a channel and the other end, for a process to come."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        return Channel(ours), theirs

    @staticmethod
    def of(number: int) -> Channel:
        """Returns the channel of a descriptor that this process inherited."""
        return Channel(socket.socket(fileno=number))

    def fileno(self) -> int:
        return self._end.fileno()

    def send(self, message: object) -> None:
        """Sends a message. Raises Gone."""
        content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
        if len(content) > _MOST_BYTES:
            folder = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
            with tempfile.NamedTemporaryFile(prefix="wattune-", dir=folder, delete=False) as file:
                file.write(content)
            packet = b"F" + os.fsencode(file.name)
        else:
            packet = b"M" + content
        try:
            self._end.send(packet)
        except OSError as error:
            raise Gone(str(error)) from None

    def receive(self, seconds: float | None = None) -> object:
        """Returns the next message. Raises Silent after so many seconds, and Gone."""
        ready, _, _ = select.select([self._end], [], [], seconds)
        if not ready:
            raise Silent
        try:
            packet = self._end.recv(_MOST_BYTES + 1000)
        except OSError as error:
            raise Gone(str(error)) from None
        if not packet:
            raise Gone("closed")
        if packet[:1] == b"M":
            return pickle.loads(packet[1:])
        name = os.fsdecode(packet[1:])
        try:
            with open(name, "rb") as file:
                return pickle.load(file)
        finally:
            os.unlink(name)

    def close(self) -> None:
        self._end.close()
