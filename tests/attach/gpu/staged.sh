#!/usr/bin/env bash
# Copies of pageable memory with and without `staged`, on a GPU: staged.sh FOLDER [BUILD]
# With BUILD, a build with WATARI_TESTS=ON, it collects the programs in FOLDER and runs nothing.
# It takes at most 90 s: rates of both, in turn; pieces, threads and stores to choose from (tuning.txt);
# random sequences, whose lines must be the same. staged.py prints a summary.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(realpath -ms "$1")
mkdir -p "$folder"
if [[ ${2:-} ]]; then
    cp "$2"/src/attach/preload/libwatari_preload.so "$2"/tests/attach/staged/libwatari_preload_{small,tuned,plain}.so \
        "$2"/tests/attach/staged/{cpus.so,sequences,rates} "$folder"
    exit
fi
cd "$folder" || exit 1
staged() { # library, command
    WATARI_CHANGES=staged WATARI_CHANGES_VERBOSE=1 LD_PRELOAD=$PWD/$1 timeout 60 "${@:2}"
}
{
    uname -r
    lscpu
    nvidia-smi topo -m
    cat /sys/kernel/mm/transparent_hugepage/enabled
} >machine.txt 2>&1
SECONDS=0
for turn in 1 2; do
    timeout 60 ./rates >"driver-$turn.txt"
    staged libwatari_preload.so ./rates >"staged-$turn.txt" 2>>verbose.txt
done
echo "rates: $SECONDS s"
# sequences: 10,000 with small units; some of full size; some in four threads at once
run_sequences() { # name, arguments
    local name=$1
    shift
    timeout 60 ./sequences "$@" >"$name-driver.txt" &
    local library=libwatari_preload_small.so
    [[ $3 == 16384 ]] || library=libwatari_preload.so
    staged $library ./sequences "$@" >"$name-staged.txt" 2>>verbose.txt
    wait
    if cmp "$name-driver.txt" "$name-staged.txt"; then
        echo "$name: $(wc -l <"$name-driver.txt") sequences are the same"
        rm "$name-staged.txt"
    fi
}
run_sequences small 1 "${COUNT:-10000}" 16384
run_sequences threads 1 500 16384 4
run_sequences full 1 40 1048576
gzip -f small-driver.txt
echo "sequences: $SECONDS s"
for library in tuned plain; do
    for cpus in 5 7 9; do
        for piece in 262144 524288 1048576 2097152; do
            ((SECONDS < ${MOST:-80})) || continue
            slots=$((33554432 / piece < 64 ? 33554432 / piece : 64))
            echo "$library $((cpus - 1)) $piece"
            CPUS=$cpus PIECE=$piece SLOTS=$slots LD_PRELOAD=$PWD/libwatari_preload_$library.so:$PWD/cpus.so \
                WATARI_CHANGES=staged timeout 20 ./rates 32 4 8 16 64 256 1024
        done
    done
done >tuning.txt
echo "all: $SECONDS s"
python3 "$here/staged.py" . | tee summary.txt
