"""Call sites in words: function and source line where the program has them (`-g`), else function
and offset (attach/symbols.py)."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from watari.attach import symbols
from watari.attach.events import Frame

SECONDS = 20.0
NOISE = re.compile(r" \(discriminator \d+\)|\(anonymous namespace\)::")
LINE = re.compile(r".* at \S.*:\d+")
SYSTEM = ("libc.so", "libc-", "libstdc++.so", "ld-linux", "libpthread", "libm.so")


def asked(command: list[str], text: str = "") -> list[str]:
    """The output lines of a tool; none where it exceeds its time limit."""
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, errors="replace", timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return []
    return done.stdout.split("\n")[:-1]


def of(frames: Iterable[Frame]) -> dict[Frame, str]:
    """`function at file:line` of each frame that addr2line (binutils) resolves."""
    tool = shutil.which("addr2line")
    wanted: dict[str, list[Frame]] = defaultdict(list)
    for frame in dict.fromkeys(frames):
        if Path(frame.module).is_file() and not is_of_system(frame):
            wanted[frame.module].append(frame)
    known: dict[Frame, str] = {}
    for module, inside in wanted.items() if tool else ():
        # the return address is after the call
        places = [hex(frame.offset - 1) for frame in inside]
        answer = asked([str(tool), "-Cfspe", module, *places])
        for frame, line in zip(inside, answer, strict=False):
            words = NOISE.sub("", line)
            if LINE.fullmatch(words) and not words.startswith("??"):
                known[frame] = words
    return known


def demangled(names: Mapping[int, str]) -> dict[int, str]:
    """The names of kernels, demangled by c++filt (binutils); unchanged where it is missing or takes
    too long."""
    tool = shutil.which("c++filt")
    text = "".join(f"{name}\n" for name in names.values())
    found = asked([tool], text) if tool and names else []
    return dict(zip(names, found, strict=True)) if len(found) == len(names) else dict(names)


def is_of_system(frame: Frame) -> bool:
    """Whether a frame belongs to a system library: C, C++, the loader, threads."""
    return Path(frame.module).name.startswith(SYSTEM)


def site(frames: Sequence[Frame], known: Mapping[Frame, str]) -> str:
    """The innermost frame outside the CUDA runtime and the system libraries, in words."""
    own = [f for f in frames if not is_of_system(f) and not symbols.is_runtime(f)]
    if own and own[0] in known:
        return known[own[0]]
    return symbols.name(tuple(own or frames)) or "unknown"
