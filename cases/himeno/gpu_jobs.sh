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

# job himeno-fortran 330 - cases/himeno/EVIDENCE.md, "Languages and compilers": Fortran beside C++, OpenMP by GCC and LLVM beside CUDA
# XL on one GPU, the styles in turn. With OFFLOAD. A trial takes 4 to 6 s, so three of each take 280 s. Another call resumes.
job_himeno-fortran() {
    [[ ${OFFLOAD:-} ]] && export LD_LIBRARY_PATH=$OFFLOAD:${LD_LIBRARY_PATH:-}
    # first whether each compiler's code is right: gosa of a small grid is verified
    run himeno-fortran-small 40 himeno processor=gpu grid=S iterations=64 form=fused,two-kernel compiler=gcc,llvm trials=1 style=f-acc-data,f-acc-host-data,f-acc-managed-all,f-acc-managed,f-omp-target,omp-target,acc-data
    run_cases himeno-fortran 285 <<'EOF'
[defaults]
processor = "gpu"
grid = "XL"
iterations = 60
form = "fused"
trials = 3
[[case]]
case = "himeno"
style = "explicit"
kernel = "tuned"
[[case]]
case = "himeno"
style = "omp-target"
compiler = ["gcc", "llvm"]
[[case]]
case = "himeno"
style = ["acc-data", "f-acc-data", "acc-host-data", "f-acc-host-data", "f-omp-target"]
[[case]]
case = "himeno"
style = ["acc-managed", "f-acc-managed", "acc-managed-all", "f-acc-managed-all"]
trials = 2
[[case]]
case = "copy"
memory = "device"
means = "kernel"
size = "4GiB"
EOF
}

# job himeno-directives-ranks 150 - cases/himeno/EVIDENCE.md, "Languages and compilers": one plane a side for every split, on two GPUs
# With OFFLOAD.
job_himeno-directives-ranks() {
    [[ ${OFFLOAD:-} ]] && export LD_LIBRARY_PATH=$OFFLOAD:${LD_LIBRARY_PATH:-}
    run_cases himeno-directives-ranks 145 <<'EOF'
[defaults]
processor = "gpu"
grid = "XL"
iterations = 60
form = "fused"
trials = 2
[[case]]
case = "himeno"
style = ["acc-data", "f-acc-data", "f-omp-target", "f-acc-managed"]
split = ["2x1x1", "1x2x1", "1x1x2"]
[[case]]
case = "himeno"
style = "omp-target"
compiler = "llvm"
split = ["2x1x1", "1x1x2"]
EOF
}

alternated_himeno() { # its group of job alternated
    cat <<'EOF'
[[case]]
case = "himeno"
grid = "XL"
iterations = 200
EOF
}
