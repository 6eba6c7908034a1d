"""Where results are kept, whether tuning is on, and messages that are said once."""

from __future__ import annotations

import logging
import os
import threading
from importlib import resources
from pathlib import Path

from .._errors import wrong

_LOGGER = logging.getLogger("wattune")

_said: set[object] = set()
_lock = threading.Lock()


def say(about: object, text: str, *, level: int = 30) -> None:
    """Logs a line, once for each `about` in this process."""
    with _lock:
        if about in _said:
            return
        _said.add(about)
    _LOGGER.log(level, "%s", text)


def tuning_is_on() -> bool:
    """Tells whether calls may tune: WATTUNE_TUNING is not `off`."""
    setting = os.environ.get("WATTUNE_TUNING", "on").lower()
    if setting not in ("on", "off"):
        say(("tuning", setting), f"WATTUNE_TUNING={setting} is neither on nor off: tuning stays on")
    return setting != "off"


def cache_folder() -> Path:
    """Returns the folder of new results: WATTUNE_CACHE_DIR, or `wattune` in XDG_CACHE_HOME or ~/.cache."""
    chosen = os.environ.get("WATTUNE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "wattune"


def shipped_file(wisdom: str | os.PathLike[str]) -> Path:
    """Returns the file that `wisdom` names: a path, or "package:file" of an installed package.

    Raises NotFoundError or InvalidArgumentError.
    """
    text = os.fspath(wisdom)
    package, colon, name = text.partition(":")
    if not colon or os.sep in package:
        return Path(text)
    try:
        found = resources.files(package).joinpath(name)
    except ModuleNotFoundError as error:
        raise wrong(f"there is no package {error.name} for wisdom", text) from None
    if isinstance(found, Path):
        return found
    # A package in an archive: its file is copied once, beside the results.
    copy = cache_folder() / "packages" / package / name
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(found.read_bytes())
    return copy
