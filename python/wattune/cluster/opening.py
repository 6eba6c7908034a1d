"""Opening: what an evaluator needs to know of a problem before it can evaluate anything."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _core
from . import message
from .bundle import Bundle, pack

REPLAY = "replay:"
"""Begins the name of a device that stands for the recorded results in a file."""
SECONDS_TO_OPEN = 900.0
"""How long an evaluator may take to start, to open its device and to compute the reference."""


@dataclass(frozen=True)
class Opening:
    """A spec with the options that evaluators and driver share."""

    spec: _core.Spec
    bundle: Bundle
    options: dict[str, Any]
    sizes: dict[str, int]
    goals: dict[str, Any]
    recording: str = ""
    """Path in the bundle of results that answer in the place of devices; empty if devices do."""

    def request(self) -> bytes:
        """Returns the body that opens the problem. It names the bundle by its hash."""
        return message.to_json({
            "wattune": _core.__version__, "bundle": self.bundle.hash, "spec": self.bundle.spec,
            "options": self.options, "sizes": self.sizes, "goals": self.goals,
            "recording": self.recording,
        })  # fmt: skip

    def files(self) -> bytes:
        """Returns the body that brings the files to a machine without them."""
        return self.bundle.hash.encode() + self.bundle.data


def prepare(spec: str | os.PathLike[str], *, options: Mapping[str, Any], sizes: Mapping[str, int] | None,
            constraints: Sequence[str], goals: Mapping[str, Any]) -> Opening:  # fmt: skip
    """Loads a spec and packs its files. Raises NotFoundError and ParseError."""
    all_goals = {**goals, "constraints": list(constraints)}
    loaded = _core.load(os.fspath(spec), dict(sizes or {}), all_goals, True)
    files = loaded.files()
    recording = options["device"].removeprefix(REPLAY) if options["device"].startswith(REPLAY) else ""
    bundle = pack(spec, [*files, recording] if recording else files)
    inside = bundle.path(recording) if recording else ""
    return Opening(loaded, bundle, dict(options), dict(sizes or {}), all_goals, inside)
