# shellcheck shell=bash disable=SC2034,SC2154
# The jobs of case memory on a GPU machine, for scripts/gpu_jobs.sh.

# job beyond-copy 115 2 cases/memory/EVIDENCE.md, elements and counters on an H200: trees; studies.md
job_beyond-copy() {
    run_first beyond-copy 110 beyond-copy '"(deep|atomic)"'
}

# job pages 22 2 cases/memory/README.md, "Size of pages"; studies.md: page=2MiB, numa=gpu
# huge pages of the kernel's pool, for the time of the job
job_pages() {
    pool=/proc/sys/vm/nr_hugepages
    before=$(<"$pool")
    { echo 1200 >"$pool"; } 2>/dev/null || true
    run pages 8 access processor=gpu memory=managed,explicit size=1GiB page=4KiB,2MiB trials=1 samples=20
    run pages-copy 8 copy processor=cpu memory=pageable size=1GiB page=4KiB,2MiB trials=2 samples=20
    run numa-gpu 5 copy processor=gpu from=pinned to=device numa=gpu trials=1
    { echo "$before" >"$pool"; } 2>/dev/null || true
}

# job migration-map 30 2 cases/memory/EVIDENCE.md, migration: which part moves when; looking disturbs nothing
# each part of an array, sample by sample; then whether reading the page table slows the samples
job_migration-map() {
    run migration-map 12 migration memory=managed hint=none,prefetch,mapped size=1GiB map=64 samples=10 trials=1
    run migration-look 15 migration memory=managed size=1GiB look=samples,phases samples=20 trials=3
}

alternated_memory() { # its group of job alternated
    cat <<'EOF'
[[case]]
case = "copy"
from = "device"
to = ["device", "pinned"]
means = ["kernel", "copy-engine"]
samples = 20
EOF
}
