#!/usr/bin/env bash
# All checks that must pass before a change is merged. Stops at the first stage that fails;
# the output of each stage is kept in build/logs. Tests leave cores idle: many wait for disks and
# processes. The sanitized and the cross-compiled builds are made, and tested, beside them.
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
    wait "$beside" || fail "$(cat "$logs/${name// /-}.log")" "" "make test: FAILED in stage '$name'"
    trap - EXIT
    stages+=("$(printf '%-22s %4d s, beside the stages above' "$name" $((SECONDS - from)))")
}
closing() { [[ -f $logs/$1.log ]] && grep -hE "$2" "$logs/$1.log" | tail -n 1 | sed 's/=//g; s/^ *//; s/ *$//'; }

# Sources that an earlier `make test` has compiled, in any clone, come from the user's cache. Objects of
# other builds are apart (CCACHE_NAMESPACE): they may have been compiled with warnings.
use_cache() {
    command -v ccache >/dev/null && [[ -z ${CMAKE_CXX_COMPILER_LAUNCHER:-} ]] || return 0
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
    local cache
    cache=$(ccache --get-config cache_dir)
    if ! mkdir -p "$cache" 2>/dev/null || [[ ! -w $cache ]]; then
        export CCACHE_DIR=$PWD/build/ccache
    fi
    export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_NAMESPACE=watari-test CCACHE_DEPEND=1
    export CCACHE_SLOPPINESS=include_file_ctime,include_file_mtime,pch_defines,time_macros
    # a source that compiled with warnings as errors has no warnings
    export CCACHE_IGNOREOPTIONS="-Werror -Werror=all-warnings -Xcompiler=-Werror"
}
# One more than there are cores: many tests wait, for disks, delays and processes.
jobs=$(($(nproc) + 1))
cpp_tests() { ctest --test-dir build/test -j $jobs --output-on-failure --no-tests=error; }
python_tests() { "$VENV/bin/pytest" -n $((jobs < 4 ? jobs : 4)) --dist worksteal --durations=25 "$@"; }
make_preset() { cmake --preset "$@" && cmake --build --preset "$1" -j "$(nproc)"; }
# The installed package with the same module, except that the C++ runtime is inside it.
static_runtime() {
    local folder=build/test/static_runtime
    cmake --build build/test --target static_runtime
    cp -rL python/watari/. $folder/watari
    PYTHONPATH=$PWD/$folder "$VENV/bin/python" scripts/resume.py
}
# Checks that the library compiles and has no undefined symbols; no part of it runs here.
cross_compile() {
    make_preset aarch64 -Wno-deprecated -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DWATARI_FASTER=ALL &&
        aarch64-linux-gnu-g++ -shared -fopenmp -Wl,--no-undefined,--whole-archive \
            build/aarch64/src/libwatari.a -Wl,--no-whole-archive -ldl -o build/aarch64/libwatari.so
}

# AddressSanitizer without lines of its stack, which take a tenth longer to compile: a function's name
# is enough to run its test alone, in a build that `cmake --preset asan` has set up again.
sanitizers() {
    make_preset asan -DCMAKE_CXX_FLAGS_DEBUG=-g0 && make_preset tsan &&
        ctest --preset asan -j $jobs --output-log $logs/sanitizers.log &&
        ctest --preset tsan -j $jobs --output-log $logs/thread-sanitizer.log
}
other_builds() { { ! $gtest || sanitizers; } && { ! $aarch64 || cross_compile; }; }

# Several tests share the cores: a thread that spins takes the core from the thread that it waits for.
# Threads of OpenBLAS, in each process that imports NumPy, would for 30 ms after each use.
export OMP_WAIT_POLICY=passive OPENBLAS_THREAD_TIMEOUT=4 OMPI_MCA_mpi_yield_when_idle=1
unset PYTHONDONTWRITEBYTECODE # hundreds of processes import the same packages
scripts/setup.sh test
use_cache
# Machine code for the GPUs here, or for one kind: a wheel is compiled for all.
export CUDAARCHS=${CUDAARCHS:-$(nvidia-smi -L >/dev/null 2>&1 && echo native || echo 90-real)}
logs=build/logs
mkdir -p $logs
stage "lint" scripts/lint.sh
stage "build" scripts/build.sh --config-settings=build-dir=build/test \
    --config-settings=cmake.define.WATARI_{TESTS,WERROR}=ON \
    --config-settings=cmake.define.WATARI_FASTER=TESTS
gtest=false aarch64=false
[[ -x build/test/tests/cpp/watari_tests ]] && gtest=true
command -v aarch64-linux-gnu-g++ >/dev/null && aarch64=true
begin "other builds" other_builds
stage_with "cpp tests" libgtest-dev $gtest cpp_tests
stage "static runtime" static_runtime
stage "python tests" python_tests "$@"
stage "hostile" "$VENV/bin/python" tests/hostile/all.py 9
await "other builds"
$gtest || stages+=("$(printf '%-22s skipped: no %s' sanitizers libgtest-dev)")
$aarch64 || stages+=("$(printf '%-22s skipped: no %s' aarch64 g++-aarch64-linux-gnu)")

step "Summary"
printf '%s\n' "${stages[@]}"
echo "C++ tests:  $(closing cpp-tests 'tests passed')"
echo "Sanitizers: $(closing sanitizers 'tests passed')"
echo "Threads:    $(closing thread-sanitizer 'tests passed')"
echo "Python:     $(closing python-tests ' in [0-9.]+s')"
command -v nvcc >/dev/null || echo "The CUDA side was not compiled: no nvcc on this machine"
echo "make test: everything passed in $SECONDS s"
