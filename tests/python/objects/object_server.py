"""A server of objects in this process, as small as the tests need: objects, ranges, If-Match, and
multipart uploads. It checks no signature; tests/acceptance/ has real servers."""

from __future__ import annotations

import hashlib
import re
import threading
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from xml.sax.saxutils import escape

SECRET, TOKEN, ID = "zq-secret-zq", "zq-token-zq", "ZQIDZQ"  # credentials


class Objects:
    """What the server keeps, and the requests that it saw."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.uploads: dict[str, tuple[str, dict[int, bytes]]] = {}
        self.seen: list[tuple[str, str, dict[str, str]]] = []
        self.lock = threading.Lock()


@lru_cache
def etag(data: bytes) -> str:
    return f'"{hashlib.md5(data).hexdigest()}"'


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else a body waits 40 ms for the receipt of its headers
    server: Server

    def log_message(self, *words: Any) -> None:
        pass

    def answer(self, status: int, body: bytes = b"", **fields: str) -> None:
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        length = fields.get("Content_Length")
        if length is None:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def error(self, status: int, code: str) -> None:
        self.answer(status, f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode())

    def handle_any(self) -> None:
        url = urlsplit(self.path)
        path, query = unquote(url.path), dict(parse_qsl(url.query, keep_blank_values=True))
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        kept = self.server.kept
        with kept.lock:
            kept.seen.append((self.command, self.path, dict(self.headers.items())))
            if not path.startswith("/bucket"):
                self.error(404, "NoSuchBucket")
            elif "uploads" in query or "uploadId" in query:
                self.multipart(kept, path, query, body)
            elif self.command == "PUT":
                kept.objects[path] = body
                self.answer(200, ETag=etag(body))
            else:
                self.read(kept.objects.get(path))

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = handle_any  # noqa: N815

    def read(self, data: bytes | None) -> None:
        if data is None:
            return self.error(404, "NoSuchKey")
        wanted = self.headers.get("If-Match")
        if wanted and wanted != etag(data):
            return self.error(412, "PreconditionFailed")
        fields = {"ETag": etag(data)}
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
        if self.command == "HEAD":
            return self.answer(200, Content_Length=str(len(data)), **fields)
        if not asked:
            return self.answer(200, data, **fields)
        first, last = int(asked[1]), min(int(asked[2]), len(data) - 1)
        if first > last:
            return self.error(416, "InvalidRange")
        fields["Content_Range"] = f"bytes {first}-{last}/{len(data)}"
        return self.answer(206, data[first : last + 1], **fields)

    def multipart(self, kept: Objects, path: str, query: dict[str, str], body: bytes) -> None:
        if self.command == "POST" and "uploads" in query:
            name = f"upload&{len(kept.seen)}"
            kept.uploads[name] = (path, {})
            self.answer(200, f"<UploadId>{escape(name)}</UploadId>".encode())
        elif self.command == "GET" and "uploadId" in query:
            self.parts(kept, query)
        elif self.command == "GET":
            text = "".join(
                f"<Upload><Key>{escape(key.removeprefix('/bucket/'))}</Key>"
                f"<UploadId>{escape(name)}</UploadId>"
                "<Initiated>2026-11-26T07:00:00Z</Initiated></Upload>"
                for name, (key, _) in kept.uploads.items()
            )
            self.answer(
                200, f"<ListMultipartUploadsResult>{text}</ListMultipartUploadsResult>".encode()
            )
        elif query.get("uploadId") not in kept.uploads:
            self.error(404, "NoSuchUpload")
        elif self.command == "PUT":
            kept.uploads[query["uploadId"]][1][int(query["partNumber"])] = body
            self.answer(200, ETag=etag(body))
        else:
            parts = kept.uploads.pop(query["uploadId"])[1]
            if self.command == "POST":
                numbers = [int(n) for n in re.findall(rb"<PartNumber>(\d+)<", body)]
                kept.objects[path] = b"".join(parts[n] for n in numbers)
                self.answer(200, b"<CompleteMultipartUploadResult/>")
            else:
                self.answer(204)

    def parts(self, kept: Objects, query: dict[str, str]) -> None:
        """Two at a time, so that a client has to ask again."""
        if query["uploadId"] not in kept.uploads:
            return self.error(404, "NoSuchUpload")
        after = int(query.get("part-number-marker") or 0)
        parts = sorted(kept.uploads[query["uploadId"]][1].items())
        left = [(number, data) for number, data in parts if number > after]
        text = "".join(
            f"<Part><PartNumber>{number}</PartNumber><ETag>{escape(etag(data))}</ETag>"
            f"<Size>{len(data)}</Size></Part>"
            for number, data in left[:2]
        )
        if len(left) > 2:
            text += f"<NextPartNumberMarker>{left[1][0]}</NextPartNumberMarker>"
        text += f"<IsTruncated>{str(len(left) > 2).lower()}</IsTruncated>"
        return self.answer(200, f"<ListPartsResult>{text}</ListPartsResult>".encode())


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # by default 5: a client's further connections wait for seconds

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.kept = Objects()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def close(self) -> None:
        self.shutdown()
        self.server_close()
