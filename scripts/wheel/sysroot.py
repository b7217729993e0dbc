"""Makes a compiler for wheels: `sysroot.py ARCH FOLDER` (x86_64 or aarch64) writes FOLDER/bin/g++.

It is g++ of this machine with the C library of manylinux_2_28: the headers of glibc 2.28, and
libraries to link against that have its symbols and no later ones. PyPI's `ziglang` has both, for
every processor. A library of this kind for libstdc++ is made here, from the compiler's own; what is
younger comes from libstdc++.a, into each file that uses it, as in the compilers of Red Hat. So
exceptions still cross from one file to another. libgomp is Debian 11's, which needs glibc 2.17; a
wheel has a copy of it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

GLIBC = "2.28"
# the latest that manylinux_2_28 allows
LATEST = {"GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11)}
POOL = "https://deb.debian.org/debian/pool/main/g/gcc-10/libgomp1_10.2.1-6_"
LIBGOMP = {
    "x86_64": ("amd64", "4530c95aefa48e33fd8cf4acbe5c4b559dbe7bdf4c56469986c83a203982cef1"),
    "aarch64": ("arm64", "813af2e0b8ba0a7cea18c988cd843412ef6d0415700fc860d62816750e741670"),
}
FUNCTIONS, OBJECTS = "TWi", "RVuBD"  # kinds of symbols in the output of nm
THREADS = ("_ZSt15__once_callable", "_ZSt11__once_call")  # variables of a thread


def output(*command: str | Path) -> str:
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise SystemExit(f"sysroot: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def include_folders(*compiler: str) -> list[Path]:
    """Where a compiler searches headers, in order."""
    said = output(*compiler, "-E", "-v", "/dev/null")
    listed = said.split("search starts here:\n")[-1].split("End of search list")[0]
    return [Path(line.strip()) for line in listed.splitlines()]


def c_library(target: str, folder: Path) -> None:
    """The headers of glibc and of the kernel, and libraries to link against."""
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", f"{target}.{GLIBC}"]
    include = folder / "include"
    for found in reversed(include_folders(*zig, "-x", "c")):
        if found.parent.name != "lib":  # the headers of zig's compiler
            shutil.copytree(found, include, dirs_exist_ok=True)
    features = include / "features.h"  # zig defines this on its command line
    minor = f"#define __GLIBC_MINOR__ {GLIBC.partition('.')[2]}\n"
    features.write_text(minor + features.read_text())

    start = (
        include / "bits/libc-header-start.h"
    )  # functions of mathematics since glibc 2.41, which CUDA declares, too
    recent = "# define __GLIBC_USE_IEC_60559_FUNCS_EXT_C23 "
    start.write_text(start.read_text().replace(recent + "1", recent + "0"))
    for header in include.rglob("*.h"):
        since = re.search(r"did not exist before glibc 2\.(\d+)", header.read_text("latin-1"))
        if since and int(since[1]) > int(GLIBC.partition(".")[2]):
            header.unlink()

    lib, cache = folder / "lib", folder / "zig"
    os.environ |= {"ZIG_GLOBAL_CACHE_DIR": str(cache), "ZIG_LOCAL_CACHE_DIR": str(cache)}
    empty = folder / "empty.c"
    empty.write_text("int main(void) { return 0; }\n")
    output(*zig, empty, "-o", folder / "empty", "-lm", "-ldl", "-lpthread", "-lrt", "-lutil")
    for found in [*cache.glob("o/*/lib*.so.*"), *cache.glob("o/*/crt1.o")]:
        shutil.copy(found, lib)
    shutil.copy(next(cache.glob("o/*/libc_nonshared.a")), lib)
    shutil.rmtree(cache)
    for library in lib.glob("lib*.so.*"):
        (lib / library.name.partition(".so")[0]).with_suffix(".so").symlink_to(library.name)
    loader = {"x86_64": "ld-linux-x86-64.so.2", "aarch64": "ld-linux-aarch64.so.1"}
    (lib / "libld.so").unlink()
    real = next(lib.glob("libld.so.*"))
    real = real.rename(lib / loader[target.partition("-")[0]])
    (lib / "libc.so").unlink()
    (lib / "libc.so").write_text(
        f"GROUP({lib}/libc.so.6 {lib}/libc_nonshared.a {lib}/liblater.a AS_NEEDED({real}))\n"
    )


def permitted(name: str) -> bool:
    """Whether manylinux_2_28 has this version of symbols."""
    found = re.fullmatch(r"(GLIBCXX|CXXABI)_([\d.]+)", name)
    if found:
        return tuple(map(int, found[2].split("."))) <= LATEST[found[1]]
    return name.startswith("CXXABI_")  # CXXABI_TM_1, CXXABI_FLOAT128


def cxx_library(compiler: str, folder: Path) -> None:
    """libstdc++.so with the permitted symbols of the compiler's own, and libstdc++.a after it."""
    shared = output(compiler, "-print-file-name=libstdc++.so.6").strip()
    symbols: dict[str, list[str]] = {}
    text = []
    for line in output("nm", "-D", "--defined-only", "--with-symbol-versions", shared).splitlines():
        kind, name = line.split()[-2:]
        symbol, default, of = name.partition("@@")
        if not default or not permitted(of) or kind not in FUNCTIONS + OBJECTS:
            continue
        symbols.setdefault(of, []).append(symbol)
        section, of_kind = ".data", "function" if kind in FUNCTIONS else "object"
        if symbol in THREADS:
            section, of_kind = '.section .tbss,"awT",@nobits', "tls_object"
        text.append(
            f"{section}\n.globl {symbol}\n.type {symbol},%{of_kind}\n"
            f"{symbol}: .zero 8\n.size {symbol},8\n"
        )
    lib = folder / "lib"
    (folder / "symbols.s").write_text("".join(text))
    (folder / "symbols.map").write_text(
        "".join(f"{of} {{ {'; '.join(names)}; }};\n" for of, names in symbols.items())
    )
    output(
        compiler,
        "-shared",
        "-nostdlib",
        folder / "symbols.s",
        "-Wl,-soname,libstdc++.so.6",
        f"-Wl,--version-script={folder}/symbols.map",
        "-o",
        lib / "libstdc++.so.6",
    )
    static = output(compiler, "-print-file-name=libstdc++.a").strip()
    (lib / "libstdc++.so").write_text(f"INPUT({lib}/libstdc++.so.6 {static})\n")


def openmp(arch: str, folder: Path) -> None:
    name, checksum = LIBGOMP[arch]
    with urllib.request.urlopen(f"{POOL}{name}.deb") as answer:
        package = answer.read()
    if hashlib.sha256(package).hexdigest() != checksum:
        raise SystemExit(f"sysroot: {POOL}{name}.deb is another file than that of Debian 11")
    (folder / "libgomp.deb").write_bytes(package)
    output("dpkg", "-x", folder / "libgomp.deb", folder / "libgomp")
    shutil.copy(
        next((folder / "libgomp").glob("usr/lib/*/libgomp.so.1.*")), folder / "lib/libgomp.so.1"
    )
    (folder / "lib/libgomp.so").symlink_to("libgomp.so.1")


def wrapper(compiler: str, folder: Path) -> Path:
    """A script that calls the compiler with these headers and libraries before its own."""
    folders = include_folders(compiler, "-x", "c++")
    own = [path for path in folders if re.search(r"/c\+\+/|/gcc[^.]*/include$", str(path))]
    headers = " ".join(f"-isystem {path}" for path in [*own, folder / "include"])
    script = folder / "bin/g++"
    script.parent.mkdir()
    script.write_text(
        f"#!/bin/sh\nexec {shutil.which(compiler)} -nostdinc {headers} -B{folder}/lib "
        f'-Wl,--exclude-libs,libstdc++.a,--allow-shlib-undefined "$@"\n'
    )
    script.chmod(0o755)
    return script


def make(arch: str, folder: Path) -> None:
    native = arch == os.uname().machine
    compiler = os.environ.get("CXX", "g++") if native else f"{arch}-linux-gnu-g++"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "lib").mkdir(parents=True)
    c_library(f"{arch}-linux-gnu", folder)
    cxx_library(compiler, folder)
    openmp(arch, folder)
    script = wrapper(compiler, folder)
    source = Path(__file__).with_name("later.c")
    output(script, "-x", "c", "-O2", "-fPIC", "-c", source, "-o", folder / "later.o")
    output("ar", "rcs", folder / "lib/liblater.a", folder / "later.o")


if __name__ == "__main__":
    make(sys.argv[1], Path(sys.argv[2]).absolute())
