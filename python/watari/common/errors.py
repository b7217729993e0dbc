"""Every kind of failure: one class each, which carries its status in a result and its exit code.

The C++ side throws errors with the same names (src/watari/core/error.hpp); `_native` raises the
class that has the name in this table. An exception that is not in the table is `failed`.
"""

from __future__ import annotations


class WatariError(Exception):
    """Base of all errors of this package; itself a plain failure."""

    name = "failed"
    status = "failed"
    exit_code = 1


class UsageError(WatariError, ValueError):
    """A word, value or combination that the command line or a plan may not contain."""

    name = "usage"
    exit_code = 2


class FileError(WatariError):
    """A plan, result or journal file that cannot be read: the message names file and field."""

    name = "file"
    exit_code = 2


class ChangedError(FileError):
    """A file or object changed while it was read: what was read is of no one version."""

    name = "changed"


class ServiceError(WatariError):
    """A server did not do what it was asked for, after all attempts."""

    name = "service"


class UnsupportedError(WatariError, NotImplementedError):
    """This machine or this build lacks something; the message is the reason."""

    name = "unsupported"
    status = "unsupported"
    exit_code = 0


class BeyondMemoryError(UnsupportedError, MemoryError):
    """More memory was requested than is available; the message has both numbers."""

    name = "beyond-memory"


class WrongResultError(WatariError):
    """The case ran, and its data are wrong."""

    name = "wrong"
    status = "wrong"


class GpuError(WatariError):
    """A CUDA call failed."""

    name = "gpu"


class SystemCallError(WatariError):
    """A call to the operating system failed."""

    name = "system"


TABLE: dict[str, type[WatariError]] = {
    error.name: error
    for error in (
        WatariError,
        UsageError,
        FileError,
        ChangedError,
        ServiceError,
        UnsupportedError,
        BeyondMemoryError,
        WrongResultError,
        GpuError,
        SystemCallError,
    )
}


def status_of(error: BaseException) -> str:
    """The status that a trial ends with when this error ends it."""
    return error.status if isinstance(error, WatariError) else "failed"
