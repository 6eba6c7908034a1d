"""A fleet on Ray: one actor with one GPU for each evaluator. `pip install wattune[ray]` brings Ray along."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from .._errors import exception
from . import worker
from .fleet import EvaluatorLost, Handle

_LOGGER = logging.getLogger("wattune")

_SECONDS_TO_CONNECT = 3.0
_SECONDS_TO_CHECK = 45.0  # of a program that imports Ray and asks the cluster for its version
_CLIENT = "ray://"
NAMESPACE = "wattune"
"""Names of Wattune's actors are apart from those of others."""


class _Evaluator:
    """The actor: a process with one device."""

    def __init__(self) -> None:
        import ray

        worker.prepare()
        self._node = f"{socket.gethostname()}-{ray.get_runtime_context().get_node_id()[:6]}"

    def answer(self, request: bytes) -> bytes:
        """Returns the reply to a request."""
        return worker.answer(request, self._node)


class RayFleet:
    """Evaluators on the GPUs of a cluster of Ray, or on its processors if it has no GPUs.

    Ray restarts and retries nothing. An actor ends with the raylet of its node and with the driver.
    """

    def __init__(self, address: str, evaluators: int | None = None, *, insecure: bool = False) -> None:
        """Joins the cluster at the address, unless this program is in one; "ray" starts one here, with a random token.

        Raises UnavailableError, in one line, without Ray, without a cluster there, if the cluster refuses the token or
        has another version, and if it has fewer GPUs than evaluators.
        """
        self._ray = import_ray()
        self._has_joined = not self._ray.is_initialized()
        self._actors: list[Any] = []
        if self._has_joined:
            join(address, insecure=insecure)
        try:
            self._make_actors(address, evaluators)
        except BaseException:
            self.close()
            raise

    def _make_actors(self, address: str, evaluators: int | None) -> None:
        gpus = int(self._ray.cluster_resources().get("GPU", 0))
        if gpus == 0 and evaluators is None:
            hint = "a number of `evaluators` uses processors"
            raise exception("unavailable", f"{address}: the cluster has no GPUs ({hint})", {"hint": hint})
        if 0 < gpus < (evaluators or 0):
            text = f"{address}: the cluster has {gpus} GPUs, fewer than the {evaluators} evaluators"
            raise exception("unavailable", text, {})
        options = {"num_gpus": 1 if gpus else 0, "num_cpus": 0, "max_restarts": 0, "max_task_retries": 0,
                   "scheduling_strategy": "SPREAD"}  # fmt: skip
        self._class = self._ray.remote(_Evaluator).options(**options)
        self._actors = [None] * (evaluators or gpus)

    def evaluators(self) -> Sequence[tuple[Handle, str]]:
        """Returns the evaluators, which are numbers from 0."""
        return [(position, f"evaluator {position}") for position in range(len(self._actors))]

    def submit(self, handle: Handle, request: bytes) -> Future[bytes]:
        """Calls the evaluator's actor."""
        assert isinstance(handle, int)
        reply: Future[bytes] = Future()
        actor = self._actors[handle]
        if actor is None:  # Ray starts it where a GPU is free
            actor = self._actors[handle] = self._class.remote()
        try:
            called = actor.answer.remote(request).future()
        except self._ray.exceptions.RayError as error:
            reply.set_exception(EvaluatorLost(_line_of(error)))
            return reply
        called.add_done_callback(lambda done: self._pass_on(done, reply))
        return reply

    def _pass_on(self, done: Future[bytes], reply: Future[bytes]) -> None:
        error = done.exception()
        if error is None:
            reply.set_result(done.result())
        elif isinstance(error, self._ray.exceptions.RayTaskError):
            reply.set_exception(error)
        else:  # the actor or its node is gone, or cannot be reached; the call may have been executed
            reply.set_exception(EvaluatorLost(_line_of(error)))

    def replace(self, handle: Handle) -> None:
        """Ends the evaluator's actor. The next call asks Ray for another."""
        assert isinstance(handle, int)
        actor, self._actors[handle] = self._actors[handle], None
        if actor is not None:
            self._ray.kill(actor, no_restart=True)

    def close(self) -> None:
        """Ends all evaluators, and leaves the cluster unless the program was in it before."""
        for handle in range(len(self._actors)):
            self.replace(handle)
        if self._has_joined:
            self._ray.shutdown()


def join(address: str, *, insecure: bool) -> Any:
    """Joins or starts a cluster and returns the module of Ray, with the errors of RayFleet."""
    ray = import_ray()
    is_own = address == "ray"
    _prepare_environment(is_own, insecure)
    options: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False, "namespace": NAMESPACE}
    if is_own:
        options.update(address="local", include_dashboard=False)
    else:
        _check_cluster(address)
        options["address"] = address
    try:
        ray.init(**options)
    except Exception as error:
        raise exception("unavailable", f"{address}: Ray did not start or join: {_line_of(error)}", {}) from None
    return ray


def _line_of(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def import_ray() -> Any:
    """Returns the module of Ray. Raises UnavailableError, which says how to install it."""
    try:
        import ray
    except ImportError:
        text = "Ray is not installed (`pip install wattune[ray]` installs it)"
        raise exception("unavailable", text, {"hint": "pip install wattune[ray]"}) from None
    return ray


def _prepare_environment(is_own: bool, insecure: bool) -> None:
    """Sets what Ray reads when it starts: a token always, no statistics. Raises UnavailableError without a token."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if insecure:
        os.environ["RAY_AUTH_MODE"] = "disabled"
        _LOGGER.warning("Ray has no token: whoever reaches its ports runs what they like as this user")
        return
    os.environ["RAY_AUTH_MODE"] = "token"
    if is_own:
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
        os.environ.pop("RAY_AUTH_TOKEN_PATH", None)
    elif not _has_token():
        hint = "set RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH to the cluster's; `insecure` does without"
        raise exception("unavailable", f"there is no token for the cluster of Ray ({hint})", {"hint": hint})
    _reload()


def _has_token() -> bool:
    named = os.environ.get("RAY_AUTH_TOKEN_PATH")
    files = [Path(named)] if named else [Path.home() / ".ray" / "auth_token"]
    return bool(os.environ.get("RAY_AUTH_TOKEN")) or any(file.is_file() for file in files)


def _reload() -> None:
    """Lets Ray read these variables again if it was imported before."""
    from ray._raylet import AuthenticationTokenLoader, Config

    Config.initialize("")
    AuthenticationTokenLoader.instance().reset_cache()


def _check_cluster(address: str) -> None:
    """Asks the cluster for its version, within seconds. Raises UnavailableError with the reason if it does not tell."""
    if address.startswith(_CLIENT):
        _reach(address, address.removeprefix(_CLIENT))
        return
    if address != "auto":
        _reach(address, address)
    words = [sys.executable, "-m", "ray.scripts.scripts", "health-check"]
    words += [] if address == "auto" else ["--address", address]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=_SECONDS_TO_CHECK, check=False)
    except subprocess.TimeoutExpired:
        hint = "its token is another, or the machine is overloaded"
        raise exception("unavailable", f"{address}: the cluster of Ray does not let us in ({hint})", {}) from None
    if done.returncode == 0:
        return
    raise exception("unavailable", f"{address}: {_reason_in(done.stdout + done.stderr)}", {})


def _reach(address: str, place: str) -> None:
    host, _, port = place.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _SECONDS_TO_CONNECT).close()
    except (OSError, ValueError) as error:
        raise exception("unavailable", f"{address}: no cluster of Ray answers there: {error}", {}) from None


def _reason_in(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for line in lines:
        if "version" in line.lower() and "mismatch" in line.lower():
            return f"the cluster has another version of Ray or Python: {line}"
    if any("uthentic" in line or "token" in line.lower() for line in lines):
        return "the cluster of Ray refuses the token"
    return f"the cluster of Ray does not answer: {lines[-1] if lines else 'no reason is known'}"
