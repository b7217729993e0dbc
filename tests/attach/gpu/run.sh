#!/usr/bin/env bash
# Tries and traces five programs on a machine with a GPU: run.sh FOLDER [options of `watari try`]
# It takes at most MOST seconds (150) behind compilation: what does not fit is skipped, and said. All of it: 300.
# What must hold: every style ends ok or unsupported; `without-watari` within 2% of `as-is`, in a program of
# more than a second; a trace of stream, which has no faults, within 1.15 times its seconds.
# Sizes are small, since `mapped` and `pinned` read everything over the link in every pass.
# ARCH=sm_90 compiles where no GPU is; programs that stand in FOLDER are kept.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(realpath -ms "$1")
shift
options=("$@")
mkdir -p "$folder"
export CUBLAS_WORKSPACE_CONFIG=:4096:8 # PyTorch's deterministic products
export COLUMNS=150
failed=0

program() { # name, options of nvcc
    [[ -x $folder/$1 ]] || nvcc -O3 -std=c++17 -arch="${ARCH:-native}" "${@:2}" -o "$folder/$1" || failed=1
}
program stream "$here/stream.cu" &
program stream-shared -cudart shared "$here/stream.cu" &
program gemm "$here/gemm.cu" -lcublas &
program alternating "$here/alternating.cu" &
wait
SECONDS=0
[[ ${ARCH:-} ]] && exit $failed # compiled elsewhere

limited() { # seconds, name of its files, lines to show, command
    local seconds=$1 name=$2 lines=$3
    shift 3
    local begun=$SECONDS left=$((${MOST:-150} - SECONDS))
    if ((left < 5)); then
        echo "== $name: skipped, no time left"
        failed=1
        return
    fi
    ((seconds < left)) || seconds=$left
    timeout -s INT -k 5 "$seconds" "$@" >"$folder/$name.txt" 2>"$folder/$name.log"
    local code=$?
    echo "== $name: exit code $code, $((SECONDS - begun)) s"
    if ((code)); then
        failed=1
        tail -n 5 "$folder/$name.log"
    fi
    grep -v '^\[[0-9]*/[0-9]*\] ' "$folder/$name.txt" | tail -n "$lines" # without progress
}
try() { # seconds, name, what follows `watari try`
    limited "$1" "try-$2" 40 watari try --same-output - -o "$folder/try-$2.json" "${options[@]}" "${@:3}"
}
trace() { # seconds, name, what follows `watari trace`
    limited "$1" "trace-$2" 16 watari trace -o "$folder/trace-$2.json" --perfetto "$folder/perfetto-$2.json" "${@:3}"
}

if python3 -c 'import torch' 2>/dev/null; then
    try 90 training --no-traced --runs 1 --styles managed,managed-prefetch,mapped,pinned -- python3 "$here/training.py" 10
else
    echo "training.py: no PyTorch here"
fi
trace 40 alternating -- "$folder/alternating" 64 4
limited 60 advise 30 watari advise --confirm -- "$folder/alternating" 64 4
trace 40 gemm -- "$folder/gemm" 4096 10
try 30 overhead --styles as-is --overhead --no-traced -- "$folder/stream" 1024 2000
trace 40 stream -- "$folder/stream" 1024 2000
limited 60 tests 15 python3 -m pytest -q -p no:cacheprovider -m gpu "$here/../../python/attach"
try 40 gemm -- "$folder/gemm" 4096 10
try 40 alternating -- "$folder/alternating" 64 4 # `read-mostly` takes 16 times as long as the others
try 40 stream -- "$folder/stream" 256 100
try 30 stream-shared --no-traced --styles managed,pinned -- "$folder/stream-shared" 128 50
trace 30 stream-shared --no-touches -- "$folder/stream-shared" 128 50
python3 -c 'import torch' 2>/dev/null && trace 60 training -- python3 "$here/training.py" 10
exit $failed
