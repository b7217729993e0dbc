#!/usr/bin/env bash
# Checks format and lint of everything; with --fix, first applies the fixes of the tools.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

mapfile -t sources < <(find src cases tests examples benchmarks -regex '.*\.\(cpp\|hpp\|cu\|cuh\)' 2>/dev/null | sort)

if [[ ${1:-} == --fix ]]; then
    clang-format -i "${sources[@]}"
    ruff check -q --fix .
    ruff format -q .
fi
clang-format --dry-run -Werror "${sources[@]}"
ruff format --check .
ruff check .
mypy -n auto
shellcheck -x -P SCRIPTDIR scripts/*.sh scripts/testing/*.sh scripts/*.sbatch cases/*/*.sh .ci/run
