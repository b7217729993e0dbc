"""Tables of a terminal: one style for all, and the kinds of their columns."""

from __future__ import annotations

from typing import TypeAlias

from rich import box
from rich.table import Column, Table

Room: TypeAlias = tuple[int, int, int, int]  # around a cell
NARROW: Room = (0, 1, 0, 0)
WIDE: Room = (0, 1, 0, 1)


def table(*columns: Column, title: str | None = None, padding: Room = WIDE) -> Table:
    """A table without rows."""
    return Table(
        *columns,
        title=title,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=padding,
    )


def word(title: str) -> Column:
    """A column of short texts, which are never wrapped."""
    return Column(title, no_wrap=True)


def text(title: str = "") -> Column:
    """A column of texts, which may be wrapped."""
    return Column(title, overflow="fold")


def number(title: str) -> Column:
    """A column of numbers, which are never wrapped."""
    return Column(title, justify="right", no_wrap=True)


def right(title: str) -> Column:
    """A column of numbers, which may be wrapped."""
    return Column(title, justify="right", overflow="fold")
