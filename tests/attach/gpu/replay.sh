#!/usr/bin/env bash
# Replays of six programs, and of changes of them, against measured times: replay.sh FOLDER [RUNS]
# About 60 s. Expected: `off` within 2% or the spread; predicted differences within 10% or the spread.
# ARCH=sm_90 compiles on a machine without a GPU, and runs nothing; the program in FOLDER is kept.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(realpath -ms "$1")
mkdir -p "$folder"
[[ -x $folder/replay ]] || nvcc -O3 -std=c++17 -arch="${ARCH:-native}" -o "$folder/replay" "$here/replay.cu"
[[ ${ARCH:-} ]] || python3 "$here/replay.py" "$folder/replay" "${2:-3}" | tee "$folder/replay.txt"
