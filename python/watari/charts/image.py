"""A picture of few colours as a PNG in text: one image of a chart, not thousands of marks."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence

VIRIDIS = (
    "#440154",
    "#472d7b",
    "#3b528b",
    "#2c728e",
    "#21918c",
    "#28ae80",
    "#5ec962",
    "#addc30",
    "#fde725",
)


def between(colours: Sequence[str], part: float) -> tuple[int, ...]:
    """Red, green and blue at a part, 0 to 1, of the way along equally spaced colours."""
    place = part * (len(colours) - 1)
    first = min(int(place), len(colours) - 2)
    low, high = (bytes.fromhex(colour[1:]) for colour in colours[first : first + 2])
    return tuple(round(a + (b - a) * (place - first)) for a, b in zip(low, high, strict=True))


def png(rows: Sequence[bytes], palette: Sequence[tuple[int, ...]], enlarged: int) -> str:
    """A data URL; each byte of a row, the top one first, is a colour of the palette and a square of
    `enlarged` pixels, so that no viewer blurs its edges."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checked = kind + data
        return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

    width, height = len(rows[0]) * enlarged, len(rows) * enlarged
    lines = [bytes(value for value in row for _ in range(enlarged)) for row in rows]
    data = b"".join(b"\0" + line for line in lines for _ in range(enlarged))  # 0: not filtered
    content = b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            chunk(b"PLTE", bytes(value for colour in palette for value in colour)),
            chunk(b"IDAT", zlib.compress(data, 9)),
            chunk(b"IEND", b""),
        ]
    )
    return "data:image/png;base64," + base64.b64encode(content).decode()
