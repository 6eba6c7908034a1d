"""What a server computes before it forks, so that no child has to: the key of Triton's cache.

The key is a hash of Triton's files. It takes a thread of its own while other modules are imported, unless the caller
knew the key and named it in the environment.
"""

from __future__ import annotations

import os
import threading

import triton  # noqa: F401
from triton.runtime import cache

from .configurations import KEY_VARIABLE

_known = os.environ.get(KEY_VARIABLE)
_thread: threading.Thread | None = None
if _known is None:
    _thread = threading.Thread(target=cache.triton_key)
    _thread.start()
else:
    cache.triton_key = lambda: _known


def before_fork() -> None:
    """Waits for the thread."""
    if _thread is not None:
        _thread.join()
