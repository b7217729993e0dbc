#!/usr/bin/env bash
# Builds and installs the package into the virtual environment: build.sh [pip's options]
# With CUDA if nvcc is installed. Build tools are those of the virtual environment, so that the
# build directory stays valid and a second build compiles only changed files.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

if command -v nvcc >/dev/null; then
    echo "CUDA: $(command -v nvcc)"
else
    echo "No nvcc: a build for the CPU alone"
fi
"$VENV/bin/python" -m pip install -q --disable-pip-version-check --no-build-isolation --no-deps "$@" .
