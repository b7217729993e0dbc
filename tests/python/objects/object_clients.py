"""Readers and writers that soon try again, and data for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from watari import objects

PART = 8 * 2**20


def data_of(size: int) -> bytes:
    return np.random.default_rng(size).bytes(size)


def reader(url: str, **how: Any) -> objects.Reader:
    return objects.Reader(url, **{"first_pause": 0.001, "patience": 60, **how})


def writer(url: str, **how: Any) -> objects.Writer:
    return objects.Writer(url, **{"first_pause": 0.001, "patience": 60, **how})
