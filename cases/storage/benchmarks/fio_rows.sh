#!/bin/bash
# The fio result from which `watari model-ssd` makes a model: reads at every block size and depth.
#
#   cases/storage/benchmarks/fio_rows.sh FILE ROWS.json [ROUNDS [SECONDS]]
#
# FILE is a file or block device with data; it is only read. One job after the other (`stonewall`), all of them ROUNDS times
# (3), so that rows that are repeated show the disk's own spread. 63 jobs of SECONDS (2, a whole number) in a round. BLOCKS and DEPTHS change
# the grid. IOMEM=mmaphuge puts fio's buffers in huge pages, as the engines have them; reserve some first: sysctl
# vm.nr_hugepages=64. A disk that takes one segment a request (max_segments of its queue) gets a request for each small page.
set -euo pipefail

file=$1 rows=$2 rounds=${3:-3} seconds=${4:-2}
{
    printf '%s\n' '[global]' "filename=$file" direct=1 ioengine=io_uring rw=randread time_based \
        "runtime=$seconds" "iomem=${IOMEM:-malloc}" ramp_time=0.2 norandommap randrepeat=0
    for ((round = 0; round < rounds; round++)); do
        for block in ${BLOCKS:-4k 8k 16k 32k 64k 128k 256k}; do
            for depth in ${DEPTHS:-1 2 4 8 16 32 64 128 256}; do
                printf '%s\n' "[$block-$depth]" stonewall "bs=$block" "iodepth=$depth"
            done
        done
    done
} | fio --readonly --output-format=json - >"$rows"
