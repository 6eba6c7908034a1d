"""Runs on a cluster of Ray: each is an actor that outlives the program that handed it in."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .._errors import exception
from .bundle import Bundle
from .display import Latest
from .ray_fleet import NAMESPACE, join
from .runs import Status, no_such

_PREFIX = "wattune-run-"
_SECONDS = 30.0  # that an actor may take to answer


class _Run:
    """The actor: it drives a search on the cluster that it is in, and keeps the journal."""

    def __init__(self, bundle: Bundle, words: Sequence[str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="wattune-run-")
        self._journal = Path(self._folder.name, "journal.jsonl")
        self._latest = Latest()
        self._state = "runs"
        self._error = ""
        bundle.extract_to(Path(self._folder.name, "spec"))
        spec = str(Path(self._folder.name, "spec", bundle.spec))
        threading.Thread(target=self._tune, args=(spec, list(words)), daemon=True).start()

    def _tune(self, spec: str, words: list[str]) -> None:
        from .command import arguments_of, parse_tune
        from .tuning import tune

        try:
            arguments: dict[str, Any] = arguments_of(parse_tune([spec, *words]))
            tune(spec, **arguments, journal=self._journal, progress=self._latest)
            self._state = "ended"
        except Exception as error:
            self._state, self._error = "failed", str(error)

    def status(self) -> tuple[str, list[str]]:
        """Returns the state and lines about it."""
        return self._state, [self._error] if self._error else self._latest.lines

    def fetch(self) -> bytes:
        """Returns the journal as far as it is; empty if there is none."""
        return self._journal.read_bytes() if self._journal.exists() else b""


class RayRuns:
    """Runs on the cluster at an address. They end with the cluster's head."""

    def __init__(self, address: str, *, insecure: bool) -> None:
        self._ray = join(address, insecure=insecure)

    def submit(self, run: str, bundle: Bundle, words: Sequence[str]) -> None:
        """Starts an actor of this name, which needs no GPU."""
        options = {"name": _PREFIX + run, "lifetime": "detached", "num_cpus": 0, "max_restarts": 0,
                   "max_concurrency": 4}  # fmt: skip
        actor = self._ray.remote(_Run).options(**options).remote(bundle, list(words))
        self._ray.get(actor.status.remote(), timeout=_SECONDS)

    def status(self) -> list[Status]:
        """Returns what is known of all runs."""
        names = self._ray.util.list_named_actors(all_namespaces=True)
        runs = sorted(each["name"].removeprefix(_PREFIX) for each in names
                      if each["namespace"] == NAMESPACE and each["name"].startswith(_PREFIX))  # fmt: skip
        return [self._status_of(run) for run in runs]

    def _status_of(self, run: str) -> Status:
        try:
            state, lines = self._ray.get(self._actor(run).status.remote(), timeout=_SECONDS)
        except self._ray.exceptions.RayError as error:
            return Status(run, "does not answer", [str(error).splitlines()[0]])
        return Status(run, state, lines)

    def fetch(self, run: str) -> bytes:
        """Returns the journal as far as it is."""
        journal: bytes = self._ray.get(self._actor(run).fetch.remote(), timeout=_SECONDS)
        if not journal:
            raise exception("not_found", f"the run `{run}` has no results yet", {})
        return journal

    def end(self, run: str) -> None:
        """Ends the actor, and with it its evaluators and its journal."""
        self._ray.kill(self._actor(run), no_restart=True)

    def _actor(self, run: str) -> Any:
        try:
            return self._ray.get_actor(_PREFIX + run, namespace=NAMESPACE)
        except ValueError:
            raise no_such(run) from None
