#!/usr/bin/env bash
# What `make test` leaves out: sanitizers, another processor, kills, faults and damage at random, and
# long tests. Needs no GPU. Tests leave cores idle, so the other builds are made and tested beside them.
set -euo pipefail
source "$(dirname "$0")/environment.sh"
source scripts/testing/stages.sh acceptance

# name, command...: starts it beside the next stages, at a lower priority
begin() {
    local name=$1
    shift
    set -m # a process group of its own
    {
        renice -n 10 "$BASHPID" >/dev/null
        "$@"
    } >"$logs/${name// /-}.log" 2>&1 </dev/null &
    set +m
    beside=$!
    trap 'kill -- "-$beside" 2>/dev/null' EXIT
}
# name: waits for the command of `begin`; shows its output if it fails
await() {
    local name=$1 from=$SECONDS
    step "$name"
    wait "$beside" || fail "$(cat "$logs/${name// /-}.log")" "" "make $target: FAILED in stage '$name'"
    trap - EXIT
    stages+=("$(printf '%-22s %4d s, beside the stages above' "$name" $((SECONDS - from)))")
}
make_preset() { cmake --preset "$@" && cmake --build --preset "$1" -j "$(nproc)"; }
# Checks that the library compiles and has no undefined symbols; no part of it runs here.
cross_compile() {
    make_preset aarch64 -Wno-deprecated -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DWATARI_FASTER=ALL &&
        aarch64-linux-gnu-g++ -shared -fopenmp -Wl,--no-undefined,--whole-archive build/aarch64/cases/*/native/*.a \
            -Wl,--no-whole-archive -Lbuild/aarch64/lib -lwatari -ldl -o build/aarch64/cases.so
}
# AddressSanitizer without lines of its stack, which take a tenth longer to compile: a function's name
# is enough to run its test alone, in a build that `cmake --preset asan` has set up again.
sanitizers() {
    make_preset asan -DCMAKE_CXX_FLAGS_DEBUG=-g0 && make_preset tsan &&
        ctest --preset asan -j $jobs --output-log $logs/sanitizers.log &&
        ctest --preset tsan -j $jobs --output-log $logs/thread-sanitizer.log
}
other_builds() { { ! $gtest || sanitizers; } && { ! $aarch64 || cross_compile; }; }
build_all() { build_tests && cmake --build build/test --target attach_sequences_threads -j "$(nproc)"; }

scripts/setup.sh acceptance
for extra in servers fleet; do
    "$VENV/bin/python" -m pip install -q --disable-pip-version-check -r <(python3 scripts/requirements.py $extra) ||
        echo "The packages of '$extra' cannot be installed: their tests are skipped"
done
scripts/setup.sh docs || echo "No Sphinx or Doxygen: the test of the site is skipped"
source scripts/testing/testing.sh
stage "build for acceptance" build_all
gtest=false aarch64=false
[[ -x build/test/tests/cpp/watari_tests ]] && gtest=true
command -v aarch64-linux-gnu-g++ >/dev/null && aarch64=true
begin "other builds" other_builds
stage "hostile" "$VENV/bin/python" tests/hostile/all.py 9
stage "long tests" python_tests -m slow
stage "random tests" python_tests tests/acceptance "$@"
await "other builds"
$gtest || stages+=("$(printf '%-22s skipped: no %s' sanitizers libgtest-dev)")
$aarch64 || stages+=("$(printf '%-22s skipped: no %s' aarch64 g++-aarch64-linux-gnu)")

step "Summary"
printf '%s\n' "${stages[@]}"
echo "Sanitizers: $(closing sanitizers 'tests passed')"
echo "Threads:    $(closing thread-sanitizer 'tests passed')"
echo "Long:       $(closing long-tests ' in [0-9.]+s')"
echo "Random:     $(closing random-tests ' in [0-9.]+s')"
echo "make acceptance: everything passed in $SECONDS s"
