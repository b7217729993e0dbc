"""A proxy before a server of objects that answers some requests wrongly.

`choose` gets each request (method, path, headers) and returns the name of a fault, or "" for the
server's own answer:

    503           the server is busy
    reset         the connection is closed without an answer
    garbage       an answer that is not HTTP
    cut           the connection is closed within the body
    short, long   a body of the wrong length, with its length
    shifted       another Content-Range
    etag          another ETag
    denied, missing   403, 404
    stalled       no answer within two minutes
    late          the answer after 30 ms
    lost          the server gets the request, and its answer is lost
    redirect      to the same address
    elsewhere     to `other`, another server
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

Choice = Callable[[str, str, dict[str, str]], str]


# faults after which the next attempt may succeed
PASSING = ("503", "reset", "garbage", "cut", "short", "long", "shifted", "late")


class Faults:
    """Faults for the next requests whose method is `method`, in order; afterwards none."""

    def __init__(self) -> None:
        self.method, self.next = "GET", [""]

    def __call__(self, method: str, path: str, fields: dict[str, str]) -> str:
        return self.next.pop(0) if method == self.method and self.next else ""


class Proxy:
    def __init__(self, upstream: int, choose: Choice, other: str = "") -> None:
        self.upstream, self.choose, self.other = upstream, choose, other
        self.count: dict[str, int] = {}
        self.seen: list[dict[str, str]] = []
        self.loop = asyncio.new_event_loop()
        started = threading.Event()
        self.thread = threading.Thread(target=self.serve, args=(started,), daemon=True)
        self.thread.start()
        started.wait(60)

    def serve(self, started: threading.Event) -> None:
        asyncio.set_event_loop(self.loop)
        self.server = self.loop.run_until_complete(
            asyncio.start_server(self.connection, "127.0.0.1", 0, backlog=1024)
        )
        self.port = int(self.server.sockets[0].getsockname()[1])
        started.set()
        self.loop.run_forever()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self.end(), self.loop).result(60)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(60)
        self.loop.close()

    async def end(self) -> None:
        self.server.close()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self.one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answers one request; false if the connection ends with it."""
        head = await reader.readuntil(b"\r\n\r\n")
        method, path, fields = parsed(head)
        body = await reader.readexactly(int(fields.get("content-length", 0)))
        self.seen.append(fields)
        fault = self.choose(method, path, fields)
        self.count[fault] = self.count.get(fault, 0) + 1
        answer = ready_answer(fault, f"{self.url}{path}", self.other + path)
        if answer is None:
            if fault == "reset":
                return False
            if fault == "stalled":
                await asyncio.sleep(120)
                return False
            if fault == "late":
                await asyncio.sleep(0.03)
            answer = await self.forward(head, body, method)
            if fault == "lost":
                return False
            answer = damaged(answer, fault)
        writer.write(answer)
        await writer.drain()
        return fault not in ("cut", "garbage")

    async def forward(self, head: bytes, body: bytes, method: str) -> bytes:
        """The server's answer, with a Content-Length."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.upstream)
        try:
            writer.write(head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1) + body)
            await writer.drain()
            whole = await reader.read()
        finally:
            writer.close()
        head, _, data = whole.partition(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        if any(line.lower().startswith(b"transfer-encoding: chunked") for line in lines):
            data = dechunked(data)
        kept = [
            line
            for line in lines
            if not line.lower().startswith((b"connection:", b"transfer-encoding:"))
            and not (method != "HEAD" and line.lower().startswith(b"content-length:"))
        ]
        if method != "HEAD":
            kept.append(b"Content-Length: %d" % len(data))
        return b"\r\n".join(kept) + b"\r\n\r\n" + data


def parsed(head: bytes) -> tuple[str, str, dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    pairs = (line.split(":", 1) for line in lines if ":" in line)
    return method, path, {name.strip().lower(): value.strip() for name, value in pairs}


def dechunked(data: bytes) -> bytes:
    result = b""
    while data:
        size, _, data = data.partition(b"\r\n")
        count = int(size.split(b";")[0] or b"0", 16)
        result += data[:count]
        data = data[count + 2 :]
        if count == 0:
            break
    return result


def ready_answer(fault: str, here: str, other: str) -> bytes | None:
    """The answer that needs no server; None for a fault that does."""
    if fault == "garbage":
        return b"SSH-2.0-none\r\nnone\r\n\r\n"
    errors = {
        "503": (503, "SlowDown"),
        "denied": (403, "AccessDenied"),
        "missing": (404, "NoSuchKey"),
        "redirect": (307, "TemporaryRedirect"),
        "elsewhere": (307, "TemporaryRedirect"),
    }
    if fault not in errors:
        return None
    status, code = errors[fault]
    body = f"<Error><Code>{code}</Code><Message>by the proxy</Message></Error>"
    to = {"redirect": f"Location: {here}\r\n", "elsewhere": f"Location: {other}\r\n"}.get(fault, "")
    return f"HTTP/1.1 {status} x\r\n{to}Content-Length: {len(body)}\r\n\r\n{body}".encode()


def damaged(answer: bytes, fault: str) -> bytes:
    """The server's answer with a fault in it."""
    head, _, data = answer.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    replaced = {
        "short": (b"content-length:", b"Content-Length: %d" % (len(data) // 2)),
        "long": (b"content-length:", b"Content-Length: %d" % (len(data) + 7)),
        "shifted": (b"content-range:", b"Content-Range: bytes 1-2/3"),
        "etag": (b"etag:", b'ETag: "another"'),
    }.get(fault)
    if replaced:
        start, line = replaced
        lines = [line if each.lower().startswith(start) else each for each in lines]
    if fault in ("short", "cut"):
        data = data[: len(data) // 2]
    if fault == "long":
        data += b"surplus"
    return b"\r\n".join(lines) + b"\r\n\r\n" + data
