"""Prints what pyproject.toml requires to build and run, and the extras named, one a line.

`--build`: what it requires to build, alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:  # pip is there before any package is
    from pip._vendor import tomli as tomllib

# cmake is not among the build requirements: scikit-build-core asks for it if it is missing.
BUILD_TOOLS = ["cmake>=3.31", "ninja"]


def requirements(extras: list[str]) -> list[str]:
    """The requirements in pyproject.toml; an unknown extra is a KeyError."""
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text()
    content = tomllib.loads(text)
    project = content["project"]
    optional = project["optional-dependencies"]
    build = [*BUILD_TOOLS, *content["build-system"]["requires"]]
    if extras == ["--build"]:
        return build
    return [
        *build,
        *project["dependencies"],
        *(line for extra in extras for line in optional[extra]),
    ]


if __name__ == "__main__":
    print("\n".join(requirements(sys.argv[1:])))
