"""The envelope of requests and replies between the driver and an evaluator.

A request is a kind, the run's number, a ticket, an epoch, and a body. The reply repeats the three numbers. It adds a
status and the seconds for which the evaluator worked, so that the driver can tell late and strange replies apart.
"""

from __future__ import annotations

import json
import struct
from typing import Any, NamedTuple

from .._errors import exception

_REQUEST = struct.Struct("!4scQQI")
_REPLY = struct.Struct("!4scQQId")
_MAGIC = b"WtF1"
MOST_REPLY_BYTES = 1 << 20

OPEN = b"o"
"""Asks an evaluator to open a problem; the body is JSON."""
BUNDLE = b"b"
"""Brings the files of a problem."""
RUN = b"r"
"""Asks for an evaluation or a final; the C++ library reads the body."""

DONE = b"d"
NEEDS_BUNDLE = b"n"
FAILED = b"f"


class Request(NamedTuple):
    """What the driver asks for."""

    kind: bytes
    run: int
    ticket: int
    epoch: int
    body: bytes

    def to_bytes(self) -> bytes:
        """Returns the bytes that travel."""
        return _REQUEST.pack(_MAGIC, self.kind, self.run, self.ticket, self.epoch) + self.body


class Reply(NamedTuple):
    """What an evaluator answers."""

    status: bytes
    run: int
    ticket: int
    epoch: int
    seconds: float
    body: bytes

    def to_bytes(self) -> bytes:
        """Returns the bytes that travel."""
        return _REPLY.pack(_MAGIC, self.status, self.run, self.ticket, self.epoch, self.seconds) + self.body


def parse_request(text: bytes) -> Request:
    """Returns the request in these bytes. Raises ParseError."""
    if len(text) < _REQUEST.size or not text.startswith(_MAGIC):
        raise exception("parse_error", "the request is not one of this Wattune", {})
    _, kind, run, ticket, epoch = _REQUEST.unpack_from(text)
    return Request(kind, run, ticket, epoch, text[_REQUEST.size :])


def parse_reply(text: object) -> Reply:
    """Returns the reply in these bytes. Raises ParseError for anything else, and for more than 1 MiB."""
    if not isinstance(text, bytes) or len(text) < _REPLY.size or not text.startswith(_MAGIC):
        raise exception("parse_error", "the reply is not one of this Wattune", {})
    if len(text) > MOST_REPLY_BYTES:
        raise exception("parse_error", f"the reply has {len(text)} bytes, more than a MiB", {})
    _, status, run, ticket, epoch, seconds = _REPLY.unpack_from(text)
    return Reply(status, run, ticket, epoch, seconds, text[_REPLY.size :])


def to_json(document: dict[str, Any]) -> bytes:
    """Returns a document as bytes."""
    return json.dumps(document, sort_keys=True).encode()


def from_json(body: bytes) -> dict[str, Any]:
    """Returns the document in these bytes. Raises ParseError."""
    try:
        document = json.loads(body)
    except ValueError as error:
        raise exception("parse_error", f"the message is no JSON: {error}", {}) from None
    if not isinstance(document, dict):
        raise exception("parse_error", "the message is no object of JSON", {})
    return document
