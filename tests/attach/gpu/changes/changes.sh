#!/usr/bin/env bash
# Costs and facts of `pooled`, and the cost of `watari exec`: changes.sh FOLDER [RUNS]
# About 30 s. Expected: a pooled pair below 10 us at every size; facts the same; the loop within 0.5%.
# ARCH=sm_90 compiles on a machine without a GPU, and runs nothing; the program in FOLDER is kept.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(realpath -ms "$1")
mkdir -p "$folder"
[[ -x $folder/changes ]] || nvcc -O3 -std=c++17 -arch="${ARCH:-native}" -o "$folder/changes" "$here/changes.cu"
[[ ${ARCH:-} ]] || python3 "$here/changes.py" "$folder/changes" "${2:-7}" | tee "$folder/changes.txt"
