#!/usr/bin/env bash
# Checks that take too long for `make test`: some 10 minutes on 2 cores. Needs no GPU.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

scripts/setup.sh test
if ! "$VENV/bin/python" -m pip install -q --disable-pip-version-check \
    -r <(python3 scripts/requirements.py servers); then
    echo "No servers of objects: their tests are skipped"
fi
step "build"
scripts/build.sh --config-settings=build-dir=build/test \
    --config-settings=cmake.define.WATARI_{TESTS,WERROR}=ON \
    --config-settings=cmake.define.WATARI_FASTER=TESTS
cmake --build build/test --target attach_sequences_threads -j "$(nproc)"
step "acceptance"
"$VENV/bin/pytest" -n "$(nproc)" tests/acceptance "$@"
