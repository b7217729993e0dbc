# Sourced by every script here: the repository's root, the virtual environment, and CUDA's compiler.
# shellcheck shell=bash
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
VENV=$(realpath -ms "${VENV:-.venv}")

# A toolkit that is installed is often not on the PATH.
if ! command -v nvcc >/dev/null && [[ -x /usr/local/cuda/bin/nvcc ]]; then
    PATH=$PATH:/usr/local/cuda/bin
fi
export PATH=$VENV/bin:$PATH VENV

step() { printf '\n==== %s\n' "$*"; }
fail() {
    printf '%s\n' "$@" >&2
    exit 1
}
