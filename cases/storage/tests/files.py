"""Files that `watari model-ssd` writes and reads, for the tests of outputs and tests/hostile/."""

from __future__ import annotations

from pathlib import Path


def rows() -> bytes:
    """A result of fio."""
    return (Path(__file__).parent / "fio.json").read_bytes()


# words before the output, its option, and the output
WRITES = [(["model-ssd", str(Path(__file__).parent / "fio.json")], "-o", "o.toml")]
# the words that read a file, {}; its suffix and content; and the output that comes after them
READS = [(["model-ssd", "{}", "-o"], ".json", rows, "o.toml")]
