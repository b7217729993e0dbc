#!/usr/bin/env bash
# Kernels of known traffic in each placement, as the trace times them and as the program does, and the
# time of traces: placed.sh FOLDER [ALLOCATIONS] [LAUNCHES]
# About 70 s. Expected: ratios within 25%, and traces within 4 times the program and 15 s.
# ARCH=sm_90 compiles on a machine without a GPU, and runs nothing; the program in FOLDER is kept.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(realpath -ms "$1")
mkdir -p "$folder"
[[ -x $folder/placed ]] || nvcc -O3 -std=c++17 -cudart static -arch="${ARCH:-native}" -o "$folder/placed" "$here/placed.cu"
[[ ! ${ARCH:-} ]] || exit 0

traced() { # name, seconds, words of the program
    local begun
    begun=$(date +%s%N)
    timeout -k 5 "$2" watari trace ${options:+"$options"} -o "$folder/$1.json" -- "$folder/placed" "${@:3}" >"$folder/$1.txt" 2>&1
    echo "$1: exit code $?, $((($(date +%s%N) - begun) / 1000000)) ms in all; $(grep ' as it is, ' "$folder/$1.txt")"
}
for mode in local mapped faulting; do
    timeout 20 "$folder/placed" "$mode" 5 >"$folder/$mode.json"
done
{
    traced trace 40 run 8
    options=--no-touches traced faults 40 faulting 5
    traced many 40 many "${2:-10000}"
    traced launches 40 launches "${3:-300000}"
    python3 "$here/placed.py" "$folder"
} | tee "$folder/placed.txt"
