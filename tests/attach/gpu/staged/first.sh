#!/usr/bin/env bash
# The start of `staged`, and what it does to small totals, on a GPU: first.sh FOLDER [BUILD]
# With BUILD, a build with WATARI_TESTS=ON, it collects the programs in FOLDER and runs nothing.
# It takes at most MOST (115) seconds: what a start costs, and the first copies of processes by the
# driver and by threads, in turn (first.py). FOLDER/programs.tsv may name more programs, one a line:
# name, folder, command. They run in pairs, as they are and with `staged`, as long as time is left.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(realpath -ms "$1")
mkdir -p "$folder"
if [[ ${2:-} ]]; then
    cp "$2"/src/attach/preload/libwatari_preload.so "$2"/tests/attach/staged/libwatari_preload_tuned.so \
        "$2"/tests/attach/staged/{first,starts} "$here"/first{.sh,.py} "$folder"
    exit
fi
cd "$folder" || exit 1
timeout 20 ./starts >starts.txt
timeout "${MOST:-115}" python3 "$here/first.py" . "${COPIES:-40}" "$((${MOST:-115} - 5))" 2>&1 | tee first.txt
