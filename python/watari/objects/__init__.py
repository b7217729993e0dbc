"""Objects of an S3 server: `open` reads ranges of one, `create` writes one in parts.

    with watari.objects.open("s3://bucket/key") as source:
        source.read_into([(0, first), (2**30, second)])
    with watari.objects.create("s3://bucket/key") as target:
        target.write(data)

An address is s3://bucket/key. Server, region and credentials come from the environment and from the
files of the AWS tools (docs/objects.md). Plain http is refused, except to this machine, unless
`insecure`, or WATARI_INSECURE=1 in the environment.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from watari import _native
from watari.common.errors import UnsupportedError, UsageError

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Buffer, Self

PREFIX = "s3://"


def is_address(text: str) -> bool:
    """Whether this names an object, not a file."""
    return text.startswith(PREFIX)


def absent_reason() -> str:
    """Why objects cannot be read or written here; empty if they can."""
    return _native.objects_absent_reason()


def require() -> None:
    """Raises UnsupportedError where objects cannot be read or written, with the reason."""
    reason = absent_reason()
    if reason:
        raise UnsupportedError(f"objects need libcurl: {reason}")


class Reader:
    """An object as it was when it was opened. Threads may share it.

    A read raises ChangedError if the key has another version by then, FileError if it is gone or
    denied, ServiceError if the server fails after all attempts.
    """

    def __init__(self, url: str, **how: Any) -> None:
        require()
        self.url = url
        self._native: _native.Object | None = _native.Object(url, how)
        self.size = self._native.size
        self.etag = self._native.etag

    def read_into(self, ranges: Iterable[tuple[int, Buffer]]) -> None:
        """Fills each writable buffer from its offset. Ranges at most `gap` bytes apart (by default
        1 MiB, or 256 KiB from a server on this machine) are one request, and what lies between them
        is thrown away. Several requests are under way at once. After an error the contents of the
        buffers are undefined."""
        if self._native is None:
            raise ValueError(f"{self.url} is closed")
        asked = [(int(offset), buffer) for offset, buffer in ranges]
        if any(offset < 0 for offset, _ in asked):
            raise UsageError(f"{self.url}: an offset is below 0")
        self._native.read_into(asked)

    def read(self, offset: int = 0, size: int | None = None) -> bytearray:
        """`size` bytes from `offset`; by default all to the end."""
        buffer = bytearray(self.size - offset if size is None else size)
        self.read_into([(offset, buffer)])
        return buffer

    def close(self) -> None:
        """Closes the connections."""
        self._native = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Writer:
    """An object that is written in order; it appears under its key when it is complete.

    Leaving `with` completes it, or aborts it after an exception. A writer that is dropped, or still
    open when the process exits, is aborted. A killed process leaves its parts on the server:
    `watari uploads` lists and aborts them.
    """

    def __init__(self, url: str, **how: Any) -> None:
        require()
        self.url = url
        self._native = _native.Upload(url, how)
        self._abort = weakref.finalize(self, abort_quietly, self._native)

    def begin(self) -> str:
        """Begins an upload in parts now, and returns its name, by which another process resumes
        it."""
        return self._native.begin()

    def resume(self, name: str) -> bool:
        """Continues an upload of the same bytes that another process began: parts that the server
        has are not sent again. False if there is no such upload any more."""
        return self._native.resume(name)

    def leave(self) -> None:
        """Ends the use of the upload, and keeps its parts on the server."""
        self._native.leave()
        self._abort.detach()

    def write(self, data: Buffer) -> None:
        """Appends bytes."""
        self._native.write(data)

    def complete(self) -> None:
        """Sends the rest and makes the object visible. After an error it is not visible."""
        self._native.complete()
        self._abort.detach()

    def abort(self) -> None:
        """Removes what was sent. Does nothing for an object that is complete."""
        if self._abort.detach():
            self._native.abort()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if not self._abort.alive:
            return
        if kind is None:
            try:
                self.complete()
            except BaseException:
                abort_quietly(self._native)
                raise
        else:
            abort_quietly(self._native)
        self._abort.detach()


def abort_quietly(upload: _native.Upload) -> None:
    """Aborts an upload where an error cannot be raised. If the server does not answer, the parts
    stay and `watari uploads` lists them."""
    try:
        upload.abort()
    except Exception:
        return


def allowed(insecure: bool) -> dict[str, bool]:
    """What a caller allows beyond the environment, which may have WATARI_INSECURE=1."""
    return {"insecure": True} if insecure else {}


def open(url: str, *, insecure: bool = False) -> Reader:
    """Opens an object for reading. Raises UsageError for an address that is none, FileError for an
    object that is missing or denied, ServiceError, UnsupportedError."""
    return Reader(url, **allowed(insecure))


def create(url: str, *, insecure: bool = False) -> Writer:
    """Begins an object, which replaces one of the same key when it is complete. Raises UsageError,
    UnsupportedError."""
    return Writer(url, **allowed(insecure))


def require_bucket(url: str) -> None:
    """Raises FileError unless the bucket of `url` is there, and answers questions about its
    objects. Raises UsageError, ServiceError, UnsupportedError."""
    require()
    _native.object_exists(url, {})


class OpenUpload(NamedTuple):
    """An upload that was neither completed nor aborted."""

    key: str
    id: str
    started: str


def uploads(url: str, *, insecure: bool = False) -> list[OpenUpload]:
    """The open uploads whose address begins with `url`. Raises FileError, ServiceError."""
    require()
    return [OpenUpload(*each) for each in _native.uploads(url, allowed(insecure))]


def abort(url: str, upload: OpenUpload, *, insecure: bool = False) -> None:
    """Aborts an open upload in the bucket of `url`. Raises FileError, ServiceError."""
    _native.abort_upload(url, upload.key, upload.id, allowed(insecure))
