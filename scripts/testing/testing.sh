# Sourced by the scripts that test: the cache of compiled objects, and the build with tests.
# shellcheck shell=bash

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

build_tests() {
    scripts/build.sh --config-settings=build-dir=build/test \
        --config-settings=cmake.define.WATARI_{TESTS,WERROR}=ON \
        --config-settings=cmake.define.WATARI_FASTER=TESTS
}

use_cache
# Machine code for the GPUs here, or for one kind: a wheel is compiled for all.
export CUDAARCHS=${CUDAARCHS:-$(nvidia-smi -L >/dev/null 2>&1 && echo native || echo 90-real)}
# Several tests share the cores: a thread that spins takes the core from the thread that it waits for.
# Threads of OpenBLAS, in each process that imports NumPy, would for 30 ms after each use.
export OMP_WAIT_POLICY=passive OPENBLAS_THREAD_TIMEOUT=4 OMPI_MCA_mpi_yield_when_idle=1
unset PYTHONDONTWRITEBYTECODE # hundreds of processes import the same packages
