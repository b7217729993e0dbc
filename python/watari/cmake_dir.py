"""Prints the folder of libwatari's CMake package, for cmake -Dwatari_DIR=FOLDER."""

from __future__ import annotations

from watari.common.files import PACKAGE

if __name__ == "__main__":
    print(PACKAGE / "lib" / "cmake" / "watari")
