"""Prints the folder of libwatari's CMake package: cmake -Dwatari_DIR=$(python -m watari.cmake_dir)."""

from __future__ import annotations

from watari.common.files import PACKAGE

if __name__ == "__main__":
    print(PACKAGE / "lib" / "cmake" / "watari")
