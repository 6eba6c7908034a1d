"""The exceptions of Wattune: one class for each kind of failure (ErrorCode in C++)."""

from __future__ import annotations

import builtins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Error(Exception):
    """A failure of Wattune. str() gives one line: the place, what is wrong, and what to do."""

    code = "internal"
    """The kind of the failure, as C++ and `--json` name it."""

    message: str = ""
    """What is wrong, without place and advice."""
    file: str = ""
    line: int | None = None
    column: int | None = None
    offending_text: str = ""
    hint: str = ""
    """What to do about it; empty if nothing is known."""
    native_code: int = 0
    """The vendor's own code; `native_name` is its name."""
    native_name: str = ""


class InvalidArgumentError(Error, ValueError):
    """The caller, or a file, asks for something impossible."""

    code = "invalid_argument"


class NotFoundError(Error, LookupError):
    """There is no such file, device, parameter or kernel."""

    code = "not_found"


class AlreadyExistsError(Error):
    """Something that the user has would be overwritten."""

    code = "already_exists"


class ParseError(Error, ValueError):
    """A text does not follow its format."""

    code = "parse_error"


class OutOfRangeError(Error, IndexError):
    """A number is too large, or an id is outside of the space."""

    code = "out_of_range"


class MismatchError(Error, ValueError):
    """Two things that must agree do not, such as a journal and the problem, or an argument and the kernel."""

    code = "mismatch"


class UnavailableError(Error):
    """A driver, library, program or permission is missing here."""

    code = "unavailable"


class BusyError(Error):
    """Another process has locked it."""

    code = "busy"


class IoError(Error):
    """The operating system refused to read or write."""

    code = "io_error"


class CompileFailedError(Error):
    """The compiler rejected the kernel; the message holds its log."""

    code = "compile_failed"


class LaunchFailedError(Error):
    """The device refused or aborted a launch."""

    code = "launch_failed"


class TimeoutError(Error, builtins.TimeoutError):
    """A limit of time passed."""

    code = "timeout"


class DeviceLostError(Error):
    """The device, or the worker process that serves it, is gone."""

    code = "device_lost"


class CancelledError(Error):
    """The user asked to stop."""

    code = "cancelled"


class InternalError(Error):
    """A bug in Wattune."""

    code = "internal"


_CLASSES: dict[str, type[Error]] = {each.code: each for each in Error.__subclasses__()}


def exception(code: str, text: str, facts: Mapping[str, object]) -> Error:
    """Returns the exception for an error of the library, which calls this."""
    made = _CLASSES[code](text)
    for name, value in facts.items():
        setattr(made, name, value)
    return made


def wrong(message: str, about: object = None, hint: str = "") -> InvalidArgumentError:
    """Returns the error for an argument of the caller's."""
    text = message
    if about is not None:
        text += f": `{about}`"
    if hint:
        text += f" ({hint})"
    made = exception("invalid_argument", text, {"message": message, "hint": hint})
    assert isinstance(made, InvalidArgumentError)
    return made
