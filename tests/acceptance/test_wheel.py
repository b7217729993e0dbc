"""A source package, unpacked without git, gives a wheel; a bare Debian installs and runs it.

The wheel has two folders of cases and no GPU code: the machinery is the same for all. auditwheel
has checked that it needs no later C library than its tag says.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from shared import for_all_workers

ROOT = Path(__file__).parents[2]
MIRROR = "http://deb.debian.org/debian"
NEEDS = (f"{MIRROR}/dists/bookworm/Release", "https://pypi.org/simple/ziglang/")
HANGS = 7200  # seconds: for a command that hangs, not for a slow machine
ENTERED = "mount -t proc proc {root}/proc && exec chroot {root} sh -euc '{command}'"


def lacking() -> str:
    """Why this test cannot run here, or nothing."""
    if os.geteuid() != 0:
        return "needs root, to enter another root file system"
    for tool in ("debootstrap", "git", "dpkg"):
        if not shutil.which(tool):
            return f"needs {tool}"
    for address in NEEDS:
        try:
            urlopen(address, timeout=60).close()
        except (URLError, TimeoutError) as error:
            return f"needs {address}: {error}"
    return ""


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    """Runs a command; its output, which an error shows."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=HANGS,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-20000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel for Python 3.11, made from the unpacked source package."""
    if reason := lacking():
        pytest.skip(reason)
    with for_all_workers(tmp_path_factory, "wheel") as folder:
        return next((folder / "dist").glob("*.whl"), None) or made(folder)


def made(folder: Path) -> Path:
    """Makes the wheel below a folder."""
    run("scripts/sdist.sh", OUT=str(folder))
    shutil.unpack_archive(next(folder.glob("watari-*.tar.gz")), folder)
    source = next(path for path in folder.glob("watari-*") if path.is_dir())
    assert not (source / ".git").exists()
    run(
        "scripts/wheel.sh",
        cwd=source,
        OUT=str(folder / "dist"),
        CASES="memory,latency",
        PYTHONS="3.11",
        CMAKE_ARGS="-DWATARI_CUDA=OFF -DWATARI_FASTER=ALL",
    )
    return next((folder / "dist").glob("*.whl"))


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Debian 12 with Python and nothing else, into which the wheel was installed."""
    root = tmp_path_factory.mktemp("debian")
    run("debootstrap", "--variant=minbase", "--include=python3-venv", "bookworm", root, MIRROR)
    shutil.copy(wheel, root)
    shutil.copy("/etc/resolv.conf", root / "etc")
    kept = [name for name in ("PIP_CERT", "SSL_CERT_FILE") if name in os.environ]
    for name in kept:  # the certificates of this machine's network
        copy = root / os.environ[name].lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(os.environ[name], copy)
    entered(root, f"python3 -m venv /watari; /watari/bin/pip install -q /{wheel.name}")
    return root


def entered(root: Path, command: str) -> str:
    """Runs a command in a root file system of its own."""
    return run("unshare", "-m", "sh", "-euc", ENTERED.format(root=root, command=command))


def test_the_wheel_needs_an_old_c_library(wheel: Path) -> None:
    assert "cp311-cp311-manylinux" in wheel.name
    assert "manylinux_2_28_" in wheel.name


def test_libraries_of_other_programs_keep_their_names(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {"watari/libwatari_preload.so", "watari/lib/libwatari.so.0.1"} <= set(names)
    copied = [name for name in names if re.match(r"watari\.libs/.", name)]
    assert len(copied) == 1
    assert copied[0].startswith("watari.libs/libgomp-")


def test_it_runs_in_a_bare_debian(bare: Path) -> None:
    said = entered(bare, "cd /tmp; /watari/bin/watari run --quick --budget 2min -o first.json")
    assert "memory" in said
    assert (bare / "tmp/first.json").exists()
    entered(bare, "cd /tmp; /watari/bin/watari export first.json -o first.csv")
    assert "copy" in (bare / "tmp/first.csv").read_text()


def test_a_program_links_the_library_of_the_wheel(wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "zipfile", "-e", wheel, tmp_path / "site")
    (tmp_path / "main.cpp").write_text(
        "#include <watari/memory/kind.hpp>\n"
        "int main() { return watari::memory::kinds().empty(); }\n"
    )
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(user CXX)\nfind_package(watari REQUIRED)\n"
        "add_executable(user main.cpp)\ntarget_link_libraries(user watari::watari)\n"
    )
    package = f"-Dwatari_DIR={tmp_path}/site/watari/lib/cmake/watari"
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", package)
    run("cmake", "--build", tmp_path / "build")
    run(tmp_path / "build/user")
    needed = run("readelf", "-d", tmp_path / "build/user")
    assert "libgomp.so.1" not in needed  # that of the wheel alone: threads are set in one place
