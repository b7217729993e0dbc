"""Damaged maps of heights: one line, exit code 2, in bounded memory."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import refused

WIND = ["--grid", "XS", "--steps", "1", "-o", "wind.vti"]


pytestmark = pytest.mark.usefixtures("in_folder")


def npy(values: Any) -> bytes:
    made = io.BytesIO()
    np.save(made, values)
    return made.getvalue()


def damaged_maps() -> dict[str, bytes]:
    whole = npy(np.zeros((4, 4)))
    zipped = io.BytesIO()
    np.savez(zipped, np.zeros((4, 4)))
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }"
    claims = whole[:8] + len(header).to_bytes(2, "little") + header
    return {
        "zip": zipped.getvalue(),
        "no zip": b"PK\x05\x06" + b"\0" * 30,
        "begins as a zip": b"PK\x03\x04" + b"\0" * 30,
        "header cut": whole[:10] + whole[10:90].replace(b"}", b"("),
        "brackets": whole[:10] + whole[10:].replace(b"'shape'", b"((((((("),
        "claims terabytes": claims,
        "empty": b"",
        "not whole": whole[:-1],
    }


@pytest.mark.parametrize("name", damaged_maps())
def test_a_damaged_map_of_heights_is_refused(capsys: pytest.CaptureFixture[str], name: str) -> None:
    Path("map.npy").write_bytes(damaged_maps()[name])
    assert "map.npy" in refused(capsys, "wind", "file:map.npy", *WIND)


@pytest.mark.parametrize("file", ["/dev/zero", "."])
def test_a_map_of_heights_is_a_regular_file(capsys: pytest.CaptureFixture[str], file: str) -> None:
    refused(capsys, "wind", f"file:{file}", *WIND)
