#!/usr/bin/env bash
# Checks that take too long for `make test`: some 6 minutes on 2 cores. Needs no GPU.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

scripts/setup.sh test
source scripts/testing.sh
step "build"
build_tests
cmake --build build/test --target attach_sequences_threads -j "$(nproc)"
step "acceptance"
"$VENV/bin/pytest" -n "$(nproc)" tests/acceptance "$@"
