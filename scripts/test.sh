#!/usr/bin/env bash
# The tests of every folder, once. acceptance.sh has the rest: sanitizers, another processor, faults
# and kills at random, and long tests.
set -euo pipefail
source "$(dirname "$0")/environment.sh"
source scripts/testing/stages.sh "test"

cpp_tests() { ctest --test-dir build/test -j $jobs --output-on-failure --no-tests=error; }

scripts/setup.sh test
source scripts/testing/testing.sh
stage "lint" scripts/lint.sh
stage "build" build_tests
gtest=false
[[ -x build/test/tests/cpp/watari_tests ]] && gtest=true
stage_with "cpp tests" libgtest-dev $gtest cpp_tests
stage "resume" "$VENV/bin/python" scripts/resume.py
stage "python tests" python_tests -m "not slow" "$@"

step "Summary"
printf '%s\n' "${stages[@]}"
echo "C++ tests:  $(closing cpp-tests 'tests passed')"
echo "Python:     $(closing python-tests ' in [0-9.]+s')"
command -v nvcc >/dev/null || echo "The CUDA side was not compiled: no nvcc on this machine"
echo "make test: everything passed in $SECONDS s. make acceptance runs sanitizers and long tests"
