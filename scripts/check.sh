#!/usr/bin/env bash
# Checks a change in a few minutes (check.py says what).
set -euo pipefail
source "$(dirname "$0")/environment.sh"

scripts/setup.sh test
source scripts/testing/testing.sh
exec "$VENV/bin/python" scripts/testing/check.py
