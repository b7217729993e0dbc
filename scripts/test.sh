#!/usr/bin/env bash
# Everything that must hold before a change goes in. Stops at the first stage that fails;
# the output of each stage is kept in build/logs.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

stages=()
stage() { # name, command...: runs it, shows it and keeps its output
    local name=$1 from=$SECONDS
    shift
    step "$name"
    "$@" 2>&1 | tee "$logs/${name// /-}.log" || fail "" "make test: FAILED in stage '$name'"
    stages+=("$(printf '%-22s %4d s' "$name" $((SECONDS - from)))")
}
# name, package, whether it is there, command...: a stage that needs a package that PyPI does not have
stage_with() {
    local name=$1 package=$2 there=$3
    shift 3
    if $there; then
        stage "$name" "$@"
    else
        stages+=("$(printf '%-22s skipped: no %s' "$name" "$package")")
    fi
}
closing() { [[ -f $logs/$1.log ]] && grep -hE "$2" "$logs/$1.log" | tail -n 1 | sed 's/=//g; s/^ *//; s/ *$//'; }

cpp_tests() { ctest --test-dir build/test --output-on-failure --no-tests=error; }
python_tests() { "$VENV/bin/pytest" "$@"; }
sanitizers() {
    cmake --preset asan && cmake --build --preset asan && ctest --preset asan
}
thread_sanitizer() {
    cmake --preset tsan && cmake --build --preset tsan && ctest --preset tsan
}
# The installed package with the same module, but for the C++ runtime, which is inside it.
static_runtime() {
    local folder=build/test/static_runtime
    cmake --build build/test --target static_runtime
    cp -r python/watari/. $folder/watari
    PYTHONPATH=$PWD/$folder "$VENV/bin/python" scripts/resume.py
}
cross_compile() {
    cmake --preset aarch64 -Wno-deprecated && cmake --build --preset aarch64
}

scripts/setup.sh test
logs=build/logs
mkdir -p $logs
stage "lint" scripts/lint.sh
stage "build" scripts/build.sh --config-settings=build-dir=build/test \
    --config-settings=cmake.define.WATARI_{TESTS,WERROR}=ON
gtest=false aarch64=false
[[ -x build/test/tests/cpp/watari_tests ]] && gtest=true
command -v aarch64-linux-gnu-g++ >/dev/null && [[ -d /usr/src/googletest ]] && aarch64=true
stage_with "cpp tests" libgtest-dev $gtest cpp_tests
stage_with "sanitizers" libgtest-dev $gtest sanitizers
stage_with "thread sanitizer" libgtest-dev $gtest thread_sanitizer
stage_with "aarch64" g++-aarch64-linux-gnu $aarch64 cross_compile
stage "static runtime" static_runtime
stage "python tests" python_tests "$@"
stage "hostile" "$VENV/bin/python" tests/hostile/all.py 9

step "Summary"
printf '%s\n' "${stages[@]}"
echo "C++ tests:  $(closing cpp-tests 'tests passed')"
echo "Sanitizers: $(closing sanitizers 'tests passed')"
echo "Threads:    $(closing thread-sanitizer 'tests passed')"
echo "Python:     $(closing python-tests ' in [0-9.]+s')"
command -v nvcc >/dev/null || echo "The CUDA side was not compiled: no nvcc on this machine"
echo "make test: everything passed in $SECONDS s"
