#!/usr/bin/env bash
# Tries and traces programs on a machine with a GPU: run.sh FOLDER [options of `watari try`]
# BabelStream's loops, cuBLAS, managed memory that both processors use in turn, a training loop of
# PyTorch, and kernels of known touches; then the tests of pytest -m gpu. It takes at most MOST seconds
# (200) after compilation: steps that do not fit are skipped, and reported. summary.py prints a summary.
# Expected: every style ends ok or unsupported; `without-watari` within 2% of `as-is`, in a program of more
# than a second; a trace of stream, which has no faults, within 1.15 times its seconds; touches as they are.
# Sizes are small, since `mapped` and `pinned` read everything over the link in every pass.
# ARCH=sm_90 compiles on a machine without a GPU; programs in FOLDER are kept.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(realpath -ms "$1")
shift
options=("$@")
mkdir -p "$folder"
export CUBLAS_WORKSPACE_CONFIG=:4096:8 # PyTorch's deterministic products
export COLUMNS=150

limited() { # seconds, name of its files, command
    local seconds=$1 name=$2
    shift 2
    local begun=$SECONDS left=$((${MOST:-200} - SECONDS)) code
    if ((left < 5)); then
        echo "== $name: skipped, no time left" | tee -a "$folder/steps.txt"
        touch "$folder/failed"
        return
    fi
    ((seconds < left)) || seconds=$left
    timeout -s INT -k 5 "$seconds" "$@" >"$folder/$name.txt" 2>"$folder/$name.log"
    code=$?
    echo "== $name: exit code $code, $((SECONDS - begun)) s" | tee -a "$folder/steps.txt"
    if ((code)); then
        touch "$folder/failed"
        tail -n 5 "$folder/$name.log"
    fi
}
try() { # seconds, name, words after `watari try`
    limited "$1" "try-$2" watari try --same-output - -o "$folder/try-$2.json" "${options[@]}" "${@:3}"
}
trace() { # seconds, name, words after `watari trace`
    limited "$1" "trace-$2" watari trace -o "$folder/trace-$2.json" --perfetto "$folder/perfetto-$2.json" "${@:3}"
}

program() { # name, options of nvcc
    [[ -x $folder/$1 ]] || nvcc -O3 -std=c++17 -arch="${ARCH:-native}" "${@:2}" -o "$folder/$1" || touch "$folder/failed"
}
rm -f "$folder/failed" "$folder/steps.txt"
# beside the compilation and steps that are not timed: most seconds of PyTorch are its start
if [[ ${ARCH:-} ]]; then
    : # compiled elsewhere
elif python3 -c 'import torch' 2>/dev/null; then
    try 100 training --no-traced --runs 1 --styles managed,managed-prefetch,mapped,pinned -- python3 "$here/training.py" 10 &
else
    echo "== training: skipped, no PyTorch here" | tee -a "$folder/steps.txt"
fi
(
    program stream "$here/stream.cu" &
    program stream-shared -cudart shared "$here/stream.cu" &
    program gemm "$here/gemm.cu" -lcublas &
    program alternating "$here/alternating.cu" &
    program patterns "$here/patterns.cu" &
    wait
)
SECONDS=0
if [[ ${ARCH:-} ]]; then # compiled elsewhere
    [[ ! -e $folder/failed ]]
    exit
fi

"$folder/patterns" 20 16 >"$folder/patterns.json"
trace 40 patterns -- "$folder/patterns" 20 16
limited 10 patterns python3 "$here/patterns.py" "$folder/trace-patterns.json" "$folder/patterns.json"
mapfile -t tests < <(grep -rl --include='test_*.py' 'mark\.gpu' "$here/../../../python/attach")
limited 90 tests python3 -m pytest -q -p no:cacheprovider -m gpu "${tests[@]}"
wait
# the timed steps, alone
limited 60 advise watari advise --confirm -- "$folder/alternating" 64 4
try 30 overhead --styles as-is --overhead --no-traced -- "$folder/stream" 1024 400
trace 40 stream -- "$folder/stream" 1024 400
python3 -c 'import torch' 2>/dev/null && trace 70 training -- python3 "$here/training.py" 10
try 40 stream -- "$folder/stream" 128 40
try 40 gemm --runs 2 -- "$folder/gemm" 4096 4
trace 40 gemm -- "$folder/gemm" 4096 10
try 40 alternating --runs 2 -- "$folder/alternating" 64 2 # `read-mostly` takes 16 times as long as the others
trace 40 alternating -- "$folder/alternating" 64 4
try 20 stream-shared --no-traced --runs 1 --styles managed,pinned -- "$folder/stream-shared" 128 40
python3 "$here/summary.py" "$folder" | tee "$folder/summary.txt"
[[ ! -e $folder/failed ]]
