#!/usr/bin/env bash
# Three programs with changes from outside: changed.sh FOLDER. At most 120 s.
# `steps`: staged, pooled and huge; `sorts`: pooled; `alternating`: prefetched, by a trace of it.
# Expected: the same output in every row. FOLDER gets a result file and a line of `exec` for each.
# ARCH=sm_90 compiles on a machine without a GPU, and runs nothing; programs in FOLDER are kept.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(realpath -ms "$1")
mkdir -p "$folder"
[[ -x $folder/changes ]] || nvcc -O3 -std=c++17 -arch="${ARCH:-native}" -o "$folder/changes" "$here/changes.cu"
[[ -x $folder/alternating ]] ||
    nvcc -O3 -std=c++17 -arch="${ARCH:-native}" -o "$folder/alternating" "$here/../programs/alternating.cu"
[[ ! ${ARCH:-} ]] || exit 0
cd "$folder"
export COLUMNS=150
watari() { python3 -m watari "$@"; }
try() { # name, words after `watari try`
    timeout -s INT 45 python3 -m watari try --no-traced --runs 5 --styles as-is --same-output - \
        -o "try-$1.json" "${@:2}" >"try-$1.txt" 2>&1 || echo "try-$1: exit code $?"
    sed -n '/as it is = 1/,$p' "try-$1.txt"
}
watari trace -o trace.json -- "$folder/alternating" 64 4 >trace.txt 2>&1 || tail -n 3 trace.txt
try steps --changes all -- "$folder/changes" steps 20
try sorts --changes pooled -- "$folder/changes" sorts 4000
try alternating --changes prefetched,pooled --trace trace.json -- "$folder/alternating" 64 4
{
    watari exec --staged --pooled --huge --verbose -- "$folder/changes" steps 20
    watari exec --pooled --verbose -- "$folder/changes" sorts 4000
    watari exec --prefetched --from trace.json --verbose -- "$folder/alternating" 64 4
} 2>&1 | tee exec.txt
