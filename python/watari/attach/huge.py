"""`huge`: memory of malloc asks the kernel for huge pages, which glibc does from version 2.35."""

from __future__ import annotations

import os

VARIABLE, TUNABLE = "GLIBC_TUNABLES", "glibc.malloc.hugetlb"
LEAST = (2, 35)
SWITCH = "/sys/kernel/mm/transparent_hugepage/enabled"


def version() -> tuple[int, ...]:
    """The version of glibc here; empty for another C library."""
    words = (os.confstr("CS_GNU_LIBC_VERSION") or "").split()
    return tuple(int(part) for part in words[1].split(".")) if words[:1] == ["glibc"] else ()


def lacking(loader: str | None, found: tuple[int, ...], switch: str) -> str:
    """Why a program with this dynamic linker gets no huge pages; empty where it does. `switch`: the
    kernel's, as in SWITCH."""
    if loader == "":
        return "the program is linked statically: its C library is not known"
    if loader and "ld-linux" not in loader:
        return f"the C library of {loader} has none"
    if found < LEAST:
        return f"needs glibc 2.35, here is {'.'.join(map(str, found)) or 'another C library'}"
    if "[never]" in switch:
        return "the kernel gives none (transparent_hugepage/enabled is never)"
    return ""


def asks(switch: str) -> bool:
    """Whether the kernel gives huge pages to memory that asks for them, and to no other."""
    return "[madvise]" in switch


def tunables(present: str) -> str:
    """The value of GLIBC_TUNABLES; a value that the user chose stays."""
    if TUNABLE in present:
        return present
    return ":".join(part for part in (present, f"{TUNABLE}=1") if part)


def without(present: str) -> str:
    """The value of GLIBC_TUNABLES without the word of `tunables`."""
    return ":".join(part for part in present.split(":") if part != f"{TUNABLE}=1")
