#!/usr/bin/env bash
# Compiles and collects what the other scripts need on a machine with a GPU and a package of Watari, but without
# a compiler: prepare.sh FOLDER BUILD. BUILD has WATARI_TESTS=ON. Each script gets a folder of its name; run there
#
#     staged/staged.sh staged     60 s   copies of pageable memory; pairs of whole programs; sequences; batches
#     changes/changes.sh changes  30 s   costs and facts of `pooled`, and of `watari exec`
#     changes/changed.sh changed 120 s   three programs with changes from outside
#     replay/replay.sh replay    110 s   replays of programs and of their changes, against measured times
#     placed/placed.sh placed     70 s   kernels in each placement; the time of traces
#     orders.sh orders           120 s   orders of operations, and what calls return
#     programs/run.sh run        200 s   programs in every style, and their traces
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(realpath -ms "$1") build=$(realpath -e "$2")
export ARCH=${ARCH:-sm_90}
"$here/staged/staged.sh" "$folder/staged" "$build"
for name in changes/changes changes/changed replay/replay placed/placed programs/run; do
    "$here/$name.sh" "$folder/${name#*/}"
done
COMPILE=1 "$here/orders.sh" "$folder/orders"
