#!/usr/bin/env bash
# Replays of eleven programs and of twelve changes of them, against measured times: replay.sh FOLDER [SECONDS]
# About 110 s (SECONDS), and the compilation. Expected: `off` within 2% or the spread; each measured difference
# in its interval. FOLDER gets replay.txt, and replay.tar.gz with every graph and every time.
# ARCH=sm_90 compiles on a machine without a GPU, and runs nothing; the program in FOLDER is kept.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(realpath -ms "$1")
mkdir -p "$folder"
[[ -x $folder/replay ]] ||
    nvcc -O3 -std=c++17 -cudart static -arch="${ARCH:-native}" -o "$folder/replay" "$here/replay.cu"
[[ ${ARCH:-} ]] && exit
kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT
python3 "$here/replay.py" "$folder/replay" "$kept" "${2:-110}" | tee "$folder/replay.txt"
tar -C "$kept" -czf "$folder/replay.tar.gz" .
