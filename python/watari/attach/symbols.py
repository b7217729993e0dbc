"""Names of call sites: function and offset, from the symbol table of the module if it has one.

The dynamic table, which the preloaded library reads, lists exported functions only. The symbol
table of an ELF file (section .symtab, absent after `strip`) lists all functions.
"""

from __future__ import annotations

import mmap
import re
import struct
from bisect import bisect_right
from functools import lru_cache
from pathlib import Path

from watari.attach.events import Frame

SYMTAB, DYNSYM, FUNCTION = 2, 11, 2
HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
PROGRAM = struct.Struct("<IIQQQQQQ")
LOAD = 1
# frames of the CUDA runtime, linked in or not: a call site of the program is further out
RUNTIME = re.compile(r"cuda[A-Z]\w*$|libcudart|__cuda|cu[A-Z]\w*$")
RUNTIME_MODULES = re.compile(r"lib(cudart|cuda|cublas|cublasLt|c10_cuda)\.so")


@lru_cache(maxsize=64)
def functions(path: str) -> tuple[list[int], list[tuple[int, str]]]:
    """Start offsets of a module's functions, ascending, and their size and name. Empty for a file
    that is no 64-bit little-endian ELF."""
    try:
        # mapped, not read: a library of PyTorch has 1 GB, and its symbols are a part of that
        with (
            Path(path).open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            return table(data)
    except (OSError, struct.error, ValueError, IndexError):
        return [], []


def table(data: mmap.mmap) -> tuple[list[int], list[tuple[int, str]]]:
    """The functions of an ELF file. Raises struct.error or ValueError where it is cut short."""
    head = HEADER.unpack_from(data)
    if head[0][:6] != b"\x7fELF\x02\x01":
        return [], []
    sections = [SECTION.unpack_from(data, head[6] + i * head[11]) for i in range(head[12])]
    loads = [PROGRAM.unpack_from(data, head[5] + i * head[9]) for i in range(head[10])]
    base = min((p[3] for p in loads if p[0] == LOAD), default=0)  # offsets count from this address
    found: dict[int, tuple[int, str]] = {}
    for section in sorted((s for s in sections if s[1] in (SYMTAB, DYNSYM)), key=lambda s: -s[1]):
        names = sections[section[6]]
        symbols = SYMBOL.iter_unpack(data[section[4] : section[4] + section[5]])
        for name, info, _, where, value, size in symbols:
            if info & 15 == FUNCTION and where and name:
                begin = names[4] + name
                end = data.find(b"\0", begin)
                if end < 0:
                    raise ValueError("a name has no end")
                found[value - base] = (size, data[begin:end].decode(errors="replace"))
    starts = sorted(found)
    return starts, [found[start] for start in starts]


def function(frame: Frame) -> tuple[str, int] | None:
    """The function that contains a return address, and the offset in it; None where unknown."""
    starts, rest = functions(frame.module)
    index = bisect_right(starts, frame.offset - 1) - 1  # a call may be the last instruction
    if index >= 0:
        size, name = rest[index]
        offset = frame.offset - starts[index]
        if not size or offset <= size:
            return name, offset
    return None


def plain(name: str) -> str:
    """`solve` of `_ZN3app5solveEv`: the nested names of a mangled one, without its arguments."""
    match = re.match(r"_Z{1,2}N?K?((?:\d+\w+)+)", name)  # _ZZ: within a function
    rest, parts = (match[1] if match else ""), []
    while digits := re.match(r"\d+", rest):
        length = int(digits[0])
        parts.append(rest[digits.end() : digits.end() + length])
        rest = rest[digits.end() + length :]
        if not name.startswith(("_ZN", "_ZZN")):
            break
    return "::".join(part for part in parts if not part.startswith("_GLOBAL__N_")) or name


def is_runtime(frame: Frame) -> bool:
    """Whether a frame belongs to the CUDA runtime or to a library that allocates for its
    callers."""
    if RUNTIME_MODULES.search(Path(frame.module).name):
        return True
    found = function(frame)
    return bool(found and RUNTIME.match(found[0]))


def name(frames: tuple[Frame, ...]) -> str:
    """Name of the program's own first frame: `solve+0x1f`, or `a.out+0x4a1f` without symbols."""
    frame = next((f for f in frames if not is_runtime(f)), frames[0] if frames else None)
    if frame is None:
        return ""
    found = function(frame)
    if found:
        return f"{plain(found[0])}+{found[1]:#x}"
    return f"{Path(frame.module).name}+{frame.offset:#x}"
