# shellcheck shell=bash disable=SC2034,SC2154
# The jobs of case gemm on a GPU machine, for scripts/gpu_jobs.sh.

# job gemm-naive 400 8 cases/gemm/EVIDENCE.md, "In Hanawa's conditions, from a disk": a block row from a file, each tile read when needed; studies.md
# A block row reads 8 N^2 bytes, whatever the tile. One thread of posix is our reading of his CPU path
job_gemm-naive() {
    run gemm-naive 150 gemm processor=gpu schedule=naive n=16384 rows=1 tile=2048,512,1024,4096 fast-memory=2GiB engine=gpu,uring trials=1 samples=1
    run gemm-naive-posix 120 gemm processor=gpu schedule=naive n=16384 rows=1 tile=2048,512,1024,4096 fast-memory=2GiB engine=posix threads=16 trials=1 samples=1
    run gemm-naive-thread 125 gemm processor=gpu schedule=naive n=16384 rows=1 tile=2048,4096,1024 fast-memory=2GiB engine=posix threads=1 trials=1 samples=1
}

# job gemm-modelled 120 8 cases/gemm/EVIDENCE.md, "In Hanawa's conditions, from a disk": N = 131,072 from a model of his SSD; studies.md
# B is whole, and one of 64 block rows of A and C: 71 GB. With less memory the largest N that four fifths of it hold,
# which another call takes over: it resumes the same case
job_gemm-modelled() {
    local n=131072 available
    available=$(awk '/^MemAvailable/ { printf "%.0f", $2 * 1024 * 0.8 }' /proc/meminfo)
    while ((n > 2048 && 4 * n * (n + 2 * 2048) > available)); do ((n -= 2048)); done
    [[ ! -f $folder/gemm-modelled.toml ]] || n=$(sed -n 's/^n = //p' "$folder/gemm-modelled.toml")
    run_cases gemm-modelled 116 <<EOF
[[case]]
case = "gemm"
processor = "gpu"
engine = "gpu"
store = "modelled:kioxia-cm6-v"
schedule = "naive"
n = $n
rows = 1
tile = 2048
fast-memory = "2GiB"
trials = 1
samples = 1
EOF
}

# job gemm-modelled-paths 170 - cases/gemm/EVIDENCE.md, "In Hanawa's conditions, from a disk": his SSD through the CPU beside GPU threads; studies.md
# A block row reads 8 N^2 bytes: 34 GB, of one thread 2.1 GB. Compare block_row_s over N^2. Engines of files fill a file in memory first
job_gemm-modelled-paths() {
    run gemm-modelled-paths 80 gemm processor=gpu schedule=naive n=65536 rows=1 tile=2048 fast-memory=2GiB engine=gpu,uring store=modelled:kioxia-cm6-v trials=1 samples=1
    run gemm-modelled-posix 56 gemm processor=gpu schedule=naive n=65536 rows=1 tile=2048 fast-memory=2GiB engine=posix threads=16 store=modelled:kioxia-cm6-v trials=1 samples=1
    run gemm-modelled-thread 30 gemm processor=gpu schedule=naive n=16384 rows=1 tile=2048 fast-memory=2GiB engine=posix,gpu threads=1 store=modelled:kioxia-cm6-v trials=1 samples=1
}

# job gemm-whole 560 - cases/gemm/EVIDENCE.md, "In Hanawa's conditions, from a disk": whole products by each engine, tiles of 1024 to 4096
# Those of the plan hanawa-gemm, at half its seconds
job_gemm-whole() {
    run_cases gemm-whole 555 < <(awk -v RS= -v ORS='\n\n' '!/\[/ || /\[case/ && (!/auto:/ || /tile = 512/) { next } { sub("auto:100s", "auto:50s"); print }' \
        cases/gemm/plans/hanawa-gemm.toml)
}

# job gemm-hanawa 560 - cases/gemm/EVIDENCE.md, "In Hanawa's conditions, from a disk": whole products; again: the missing trials
job_gemm-hanawa() {
    run gemm-hanawa 555 --plan hanawa-gemm
}
