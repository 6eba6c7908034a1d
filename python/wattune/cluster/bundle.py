"""Bundle: the files that a spec reads, as bytes that travel by their hash."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from .._errors import exception

_EPOCH = (1980, 1, 1, 0, 0, 0)  # of every file in a bundle, so that equal files make equal bytes


class Bundle(NamedTuple):
    """The files of a spec."""

    hash: str
    """SHA-256 of `data`."""
    root: Path
    """The folder that the paths in the bundle begin from, here."""
    spec: str
    """The spec's own path in the bundle."""
    data: bytes
    """An archive in the format zip."""

    def path(self, file: str | os.PathLike[str]) -> str:
        """Returns the path in the bundle of a file that was packed."""
        return Path(os.path.abspath(file)).relative_to(self.root).as_posix()

    def extract_to(self, folder: Path) -> None:
        """Writes the files into a folder. Raises ParseError if one would lie outside of it."""
        _extract(self.data, folder)


def pack(spec: str | os.PathLike[str], files: Iterable[str]) -> Bundle:
    """Returns the bundle of a spec with these files. Raises NotFoundError if one is missing."""
    own = Path(os.path.abspath(spec))
    paths = sorted({Path(os.path.abspath(each)) for each in files} | {own})
    root = Path(os.path.commonpath([each.parent for each in paths]))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in paths:
            try:
                data = path.read_bytes()
            except OSError as error:
                raise exception("not_found", f"{path}: the spec needs this file: {error.strerror}", {}) from None
            archive.writestr(zipfile.ZipInfo(path.relative_to(root).as_posix(), _EPOCH), data)
    data = stream.getvalue()
    return Bundle(hashlib.sha256(data).hexdigest(), root, own.relative_to(root).as_posix(), data)


def folder_of(hash: str) -> Path:
    """Returns the folder in which this user's processes keep the bundle of this hash on this machine."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(home, "wattune", "cluster", hash)


def unpack(hash: str, data: bytes) -> Path:
    """Unpacks a bundle and returns its folder. Raises ParseError if the bytes are not those of the hash."""
    if hashlib.sha256(data).hexdigest() != hash:
        raise exception("parse_error", "the files of the spec were damaged on their way", {})
    folder = folder_of(hash)
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    unfinished = Path(tempfile.mkdtemp(dir=folder.parent, prefix="unfinished-"))
    try:
        _extract(data, unfinished)
        unfinished.rename(folder)
    except OSError:
        if not folder.is_dir():  # another process unpacked it meanwhile
            raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def _extract(data: bytes, folder: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            _check(name)
        archive.extractall(folder)


def _check(name: str) -> None:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise exception("parse_error", f"the bundle has a file outside of its folder: `{name}`", {})
