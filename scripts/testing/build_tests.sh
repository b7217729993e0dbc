#!/usr/bin/env bash
# Builds and installs the package with all that the tests need, in build/test.
set -euo pipefail
source "$(dirname "$0")/../environment.sh"
source scripts/testing/testing.sh
build_tests
