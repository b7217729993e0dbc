"""The folder of results; and paths in a file that others read, which lose this machine's folders.

A folder of a home, a build or a temporary file says nothing to a reader elsewhere. Folders of the
system stay (/usr/bin/mpirun, /sys/..., a file in memory below /dev/shm), and so do relative paths.
Of a file in a Python package, the package stays: site-packages/nvidia/cu13/lib/libcupti.so.13.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

RESULTS = Path("results")  # where results without a file name are, and where they are looked for
SYSTEM = re.compile("/(bin|boot|dev|etc|lib|lib64|opt|proc|run|sbin|sys|usr)/")
# kept: folders, files and launcher, since a later run uses them; digits of pictures, no paths
KEPT = ("folder", "file", "launcher", "pictures")
END = r"\s/'\"`,;:=()\[\]<>{}|&"
NAME = rf"[^{END}]*[^{END}.]"  # a full stop after it ends a sentence
# not of a web address, nor after a word, as in GB/s; after an option of a compiler, as in -I/home
PATH = re.compile(rf"(?:(?<![\w./~])|(?<=\s-[A-Z]))(?:/{NAME}){{2,}}/?")
PACKAGES = re.compile(r".*/((?:site|dist)-packages/.+)")


def short_path(path: str) -> str:
    """An absolute path without the folders that only this machine has."""
    if package := PACKAGES.fullmatch(path):
        return package[1]
    return path if SYSTEM.match(path) else path.rstrip("/").rpartition("/")[2]


def short(text: str, spaced: Sequence[str] = ()) -> str:
    """A text in which every absolute path is short. `spaced`: folders with a space in their name,
    where a path would seem to end."""
    for folder in spaced:
        text = text.replace(f"{folder}/", "/folder/")
    return PATH.sub(lambda match: short_path(match[0]), text)


def portable(value: Any, spaced: Sequence[str] = ()) -> Any:
    """The content of a file with short paths; lists of numbers stay the same object."""
    if isinstance(value, dict):
        return {k: item if k in KEPT else portable(item, spaced) for k, item in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], str | dict | list):
        return [portable(item, spaced) for item in value]
    return short(value, spaced) if isinstance(value, str) else value
