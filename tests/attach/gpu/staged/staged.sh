#!/usr/bin/env bash
# Copies of pageable memory with and without `staged`, on a GPU: staged.sh FOLDER [BUILD]
# With BUILD, a build with WATARI_TESTS=ON, it collects the programs in FOLDER and runs nothing.
# It takes at most 60 s: what a start costs; rates of both, in turn; whole programs in pairs; random
# sequences, whose lines must be the same; threads, pieces and stores to choose from (tuning.txt).
# staged.py prints a summary.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(realpath -ms "$1")
mkdir -p "$folder"
if [[ ${2:-} ]]; then
    cp "$2"/src/attach/preload/libwatari_preload.so "$2"/tests/attach/staged/libwatari_preload_{small,tuned}.so \
        "$2"/tests/attach/staged/{cpus.so,sequences,rates,whole,starts,batches,foreign} "$here"/staged{.sh,.py,_pairs.py} "$folder"
    exit
fi
cd "$folder" || exit 1
staged() { # library, command
    WATARI_CHANGES=staged WATARI_CHANGES_VERBOSE=1 LD_PRELOAD=$PWD/$1 timeout 60 "${@:2}"
}
SECONDS=0
timeout 20 ./starts >starts.txt
for turn in 1 2; do
    timeout 60 ./rates >"driver-$turn.txt"
    staged libwatari_preload.so ./rates >"staged-$turn.txt" 2>>verbose.txt
done
echo "rates: $SECONDS s"
timeout 40 python3 "$here/staged_pairs.py" . "${PAIRS:-9}" >pairs.txt
echo "pairs: $SECONDS s"
# sequences: many with small units; some of full size; some in four threads at once
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
run_sequences small 20001 "${COUNT:-2000}" 16384
run_sequences threads 1 100 16384 4
run_sequences full 1 20 1048576
run_sequences rows 1 1000 16384 1 rows
gzip -f small-driver.txt
# batches, registered memory: copies of which some stay with the driver
for words in "batches batch 12" "batches batch 13" "batches "{own,ordered,between,wrong,captured,volumes} \
    "batches random 50 1048576" \
    "foreign "{registered,reset}; do
    # shellcheck disable=SC2086  # words are several
    by_driver=$(timeout 20 ./$words 2>&1)
    # shellcheck disable=SC2086
    by_staged=$(staged libwatari_preload.so ./$words 2>mixed-error.txt; grep -v '^watari: ' mixed-error.txt)
    grep -o 'staged: [0-9]* cop[a-z]*' mixed-error.txt | sed "s/^/$words: /"
    [[ $by_driver == "$by_staged" ]] || echo "$words: driver $by_driver, staged $by_staged"
done
echo "sequences: $SECONDS s"
for stores in "" plain; do
    for cpus in 9 7; do
        for piece in 2097152 1048576; do
            ((SECONDS < ${MOST:-56})) || continue
            echo "${stores:-streaming} $((cpus - 1)) $piece"
            env ${stores:+STORES=$stores} CPUS=$cpus PIECE=$piece SLOTS=$((33554432 / piece)) \
                LD_PRELOAD="$PWD/libwatari_preload_tuned.so:$PWD/cpus.so" WATARI_CHANGES=staged \
                timeout 20 ./rates 32 64 128 256 1024
        done
    done
done >tuning.txt
echo "all: $SECONDS s"
python3 "$here/staged.py" . | tee summary.txt
