# shellcheck shell=bash disable=SC2034,SC2154
# The jobs of case lattice on a GPU machine, for scripts/gpu_jobs.sh.

# job lattice 190 1 cases/lattice/EVIDENCE.md, "Results", "Directives", "Targets"
# one GPU; with the libgomp of the styles in directives, if they are from OFFLOAD
job_lattice() {
    [[ ${OFFLOAD:-} ]] && export LD_LIBRARY_PATH=$OFFLOAD:${LD_LIBRARY_PATH:-}
    run_first lattice 185 nvlink-openacc-qcd 'managed-prefetch|precision|rhs|copy' 'split ='
}

# job lattice-step 64 - cases/lattice/EVIDENCE.md, "The merged step": an earlier package beside this one, if EARLIER has it
# EARLIER: a folder with an earlier package, by `pip install --target`
job_lattice-step() {
    step() { run "lattice-step-$1" 30 lattice processor=gpu lattice=class2 precision=double,mixed rhs=1,12 trials=1; }
    [[ ${EARLIER:-} ]] && PYTHONPATH=$EARLIER step earlier
    step now
    for turn in earlier now; do ranks "lattice-step-$turn" iterations norm2 flops_per_s loop hop_s; done
}

# job lattice-ranks 80 5 cases/lattice/EVIDENCE.md, "On two GPUs": paths, overlap, splits
job_lattice-ranks() {
    with_nccl
    LIMIT=25s
    run_first lattice-ranks 77 lattice-ranks 'class' '"device"'
    ranks lattice-ranks iterations norm2 flops_per_s hop_s loop
}

# job lattice-floors 85 - cases/lattice/EVIDENCE.md, "On CPUs": cores beside their memory
job_lattice-floors() {
    floors lattice 45 hop_bytes_per_s lattice=class2
}

# job lattice-compilers 120 - cases/lattice/EVIDENCE.md, "Directives": OpenMP by GCC and LLVM, and OpenACC, beside CUDA at class 2
# One GPU, the styles in turn. With OFFLOAD.
job_lattice-compilers() {
    [[ ${OFFLOAD:-} ]] && export LD_LIBRARY_PATH=$OFFLOAD:${LD_LIBRARY_PATH:-}
    run_cases lattice-compilers 115 <<'EOF'
[defaults]
processor = "gpu"
lattice = "class2"
trials = 3
[[case]]
case = "lattice"
style = ["explicit", "acc-data"]
[[case]]
case = "lattice"
style = "omp-target"
compiler = ["gcc", "llvm"]
EOF
    ranks lattice-compilers iterations norm2 flops_per_s hop_s loop
}

# job lattice-llvm 70 - cases/lattice/EVIDENCE.md, "By compiler": where a step by LLVM spends its time
# A solve, and a trace of one: calls, copies and kernels. With OFFLOAD.
job_lattice-llvm() {
    [[ ${OFFLOAD:-} ]] && export LD_LIBRARY_PATH=$OFFLOAD:${LD_LIBRARY_PATH:-}
    run lattice-llvm 30 lattice processor=gpu lattice=class2 style=omp-target compiler=llvm trials=1
    timeout 40 watari trace --no-touches -o "$folder/lattice-llvm-trace.json" -- \
        watari run lattice processor=gpu lattice=class2 style=omp-target compiler=llvm trials=1 \
        -o "$folder/lattice-llvm-traced.json" >"$folder/lattice-llvm-trace.txt" 2>&1 || failed=1
    ranks lattice-llvm iterations norm2 flops_per_s hop_s loop
}

# job lattice-two 420 - cases/lattice/EVIDENCE.md, "On two GPUs": class 3 in every style on one and on two GPUs, in turn
# With OFFLOAD. A trial takes 15 to 25 s. Another call resumes: the missing trials.
job_lattice-two() {
    [[ ${OFFLOAD:-} ]] && export LD_LIBRARY_PATH=$OFFLOAD:${LD_LIBRARY_PATH:-}
    run_cases lattice-two 415 <<'EOF'
[defaults]
processor = "gpu"
lattice = "class3"
trials = 3
[[case]]
case = "lattice"
style = ["explicit", "managed", "managed-prefetch"]
split = ["1x1x1x1", "1x1x2x1"]
[[case]]
case = "lattice"
style = ["acc-data", "acc-managed"]
split = ["1x1x1x1", "1x1x2x1"]
[[case]]
case = "lattice"
style = ["acc-host-data", "acc-managed"]
halo = "peer"
split = "1x1x2x1"
[[case]]
case = "lattice"
style = "omp-target"
compiler = "llvm"
split = ["1x1x1x1", "1x1x2x1"]
[[case]]
case = "lattice"
style = "omp-device-ptr"
compiler = "llvm"
halo = "peer"
split = "1x1x2x1"
EOF
    ranks lattice-two iterations norm2 flops_per_s hop_s loop
}

# job lattice-host-data 90 - cases/lattice/EVIDENCE.md, "What `acc-host-data` loses": OpenACC on one and on two GPUs at class 3, in turn
# With OFFLOAD.
job_lattice-host-data() {
    [[ ${OFFLOAD:-} ]] && export LD_LIBRARY_PATH=$OFFLOAD:${LD_LIBRARY_PATH:-}
    run_cases lattice-host-data 85 <<'EOF'
[defaults]
processor = "gpu"
lattice = "class3"
trials = 3
[[case]]
case = "lattice"
style = "acc-data"
[[case]]
case = "lattice"
style = "acc-host-data"
halo = "peer"
split = "1x1x2x1"
EOF
    ranks lattice-host-data iterations norm2 flops_per_s hop_s loop
}

alternated_lattice() { # its group of job alternated
    cat <<'EOF'
[[case]]
case = "lattice"
lattice = "class2"
EOF
}
