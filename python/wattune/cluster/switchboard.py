"""Switchboard: sends requests to the evaluators of a fleet, and tells which call ended."""

from __future__ import annotations

import queue
import secrets
from collections.abc import Sequence

from . import message
from .fleet import Fleet
from .seat import Call, Seat, Ticket


class Switchboard:
    """The calls of one run."""

    def __init__(self, fleet: Fleet, seats: Sequence[Seat]) -> None:
        self.fleet = fleet
        self.seats = list(seats)
        self.run = secrets.randbits(64)
        """A number that no other run has, so that its replies are told apart."""
        self._ended: queue.SimpleQueue[tuple[Seat, Call]] = queue.SimpleQueue()

    def send(self, seat: Seat, kind: bytes, ticket: Ticket, more: bytes = b"") -> None:
        """Sends a request about a ticket, with more behind its body."""
        request = message.Request(kind, self.run, ticket.number, ticket.epoch, ticket.body + more)
        call = Call(kind, ticket, ticket.epoch, self.fleet.submit(seat.handle, request.to_bytes()))
        seat.add(call)
        call.reply.add_done_callback(lambda _: self._ended.put((seat, call)))

    def wait(self, seconds: float) -> tuple[Seat, Call] | None:
        """Returns the call that ended first; None after so many seconds without one."""
        try:
            return self._ended.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return None

    def reply(self, call: Call) -> message.Reply:
        """Returns the reply to a call that ended. Raises what the call raised, and ParseError for a strange reply."""
        reply = message.parse_reply(call.reply.result())
        if (reply.run, reply.ticket, reply.epoch) != (self.run, call.ticket.number, call.epoch):
            from .._errors import exception

            raise exception("parse_error", "the reply belongs to another run or to another try", {})
        return reply
