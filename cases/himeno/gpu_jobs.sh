# shellcheck shell=bash disable=SC2034,SC2154
# The jobs of case himeno on a GPU machine, for scripts/gpu_jobs.sh.

# job himeno 200 2 cases/himeno/EVIDENCE.md: the three rates, 200 and 3000 iterations; studies.md. Again: the missing trials
# A trial of XL takes 5 s for 200 iterations, 15 to 25 s for 3000, so three of each take 460 s. Another call resumes.
job_himeno() {
    [[ ${OFFLOAD:-} ]] && export LD_LIBRARY_PATH=$OFFLOAD:${LD_LIBRARY_PATH:-}
    run_cases himeno-200 95 <<'EOF'
[defaults]
processor = "gpu"
iterations = 200
trials = 3
[[case]]
case = "himeno"
grid = ["XL", "L"]
style = ["explicit-struct", "managed-struct"]
form = "two-kernel"
kernel = "shared"
[[case]]
case = "himeno"
grid = ["XL", "L"]
style = ["acc-data", "acc-managed"]
form = "two-kernel"
[[case]]
case = "himeno"
grid = ["XL", "L"]
style = ["explicit", "managed", "managed-prefetch"]
form = "fused"
kernel = "tuned"
[[case]]
case = "himeno"
grid = "XL"
style = ["explicit", "managed", "managed-prefetch"]
form = "two-kernel"
kernel = "shared"
EOF
    run_cases himeno-3000 100 <<'EOF'
[defaults]
processor = "gpu"
grid = "XL"
iterations = 3000
trials = 3
[[case]]
case = "himeno"
style = ["explicit-struct", "managed-struct"]
form = "two-kernel"
kernel = "shared"
[[case]]
case = "himeno"
style = ["explicit", "managed", "managed-prefetch"]
form = "fused"
kernel = "tuned"
EOF
}

# job himeno-init 60 - cases/himeno/EVIDENCE.md, "Structs of pointers": init=gpu
job_himeno-init() {
    run himeno 56 himeno processor=gpu grid=XL iterations=200 form=two-kernel kernel=shared style=explicit,explicit-struct,managed,managed-struct,managed-prefetch init=cpu,gpu trials=2
}
