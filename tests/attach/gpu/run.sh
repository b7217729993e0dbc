#!/usr/bin/env bash
# Tries and traces four programs in every style, on a machine with a GPU: run.sh FOLDER [watari's options]
# What must hold: every style ends ok or unsupported; `without-watari` within 2% of `as-is`; a trace of
# stream, which has no faults, within 1.15 times its seconds.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(realpath -ms "$1")
shift
mkdir -p "$folder"
export CUBLAS_WORKSPACE_CONFIG=:4096:8  # PyTorch's deterministic products
nvcc -O3 -std=c++17 -arch=native "$here/stream.cu" -o "$folder/stream"
nvcc -O3 -std=c++17 -arch=native -cudart shared "$here/stream.cu" -o "$folder/stream-shared"
nvcc -O3 -std=c++17 -arch=native "$here/gemm.cu" -lcublas -o "$folder/gemm"
nvcc -O3 -std=c++17 -arch=native "$here/alternating.cu" -o "$folder/alternating"
failed=0
attempt() { # name, program and its arguments
    local name=$1
    shift
    watari try --overhead --same-output - -o "$folder/try-$name.json" --figure "$folder/try-$name.svg" \
        "${options[@]}" -- "$@" 2>&1 | tee "$folder/try-$name.txt" || failed=1
    watari trace -o "$folder/trace-$name.json" --perfetto "$folder/perfetto-$name.json" -- "$@" 2>&1 |
        tee "$folder/trace-$name.txt" || failed=1
}
options=("$@")
attempt stream "$folder/stream" 1024 2000
attempt stream-shared "$folder/stream-shared" 1024 2000
attempt gemm "$folder/gemm" 8192 20
attempt alternating "$folder/alternating" 1024 10
if python3 -c 'import torch' 2>/dev/null; then
    attempt training python3 "$here/training.py" 50
else
    echo "training.py: no PyTorch here"
fi
python3 -m pytest -q -p no:cacheprovider -m gpu "$here/../../python/attach" || failed=1
exit $failed
