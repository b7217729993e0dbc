#!/usr/bin/env bash
# Records the order of operations, and what calls return, on this GPU: orders.sh FOLDER [PROGRAM]
# About 40 s, 120 s at most. PROGRAM: build/*/tests/attach/programs/orders; without it g++ compiles one
# into FOLDER. COMPILE=1 compiles alone. Copy orders.txt and returns.json into tests/fixtures/orders/.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(realpath -ms "$1")
mkdir -p "$folder"
program=${2:-$folder/orders}
[[ -x $program ]] || g++ -O2 -std=c++20 -static-libstdc++ -static-libgcc -pthread -o "$program" \
    "$here/../programs/orders.cpp" -ldl
[[ ${COMPILE:-} ]] && exit
export CUDA_DEVICE_MAX_CONNECTIONS=32 # fewer queues than streams would order what CUDA does not
timeout 80 python3 "$here/../../python/orders.py" "$program" "$folder/orders.txt" 250 3
timeout 40 python3 "$here/../../python/driver_returns.py" >"$folder/returns.json"
wc -c "$folder/orders.txt" "$folder/returns.json"
