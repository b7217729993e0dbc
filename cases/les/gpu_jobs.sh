# shellcheck shell=bash disable=SC2034,SC2154
# The jobs of case les on a GPU machine, for scripts/gpu_jobs.sh.

# job les 52 1 cases/les/EVIDENCE.md, "On an H200": cells a second; cases/les/README.md, conclusions
job_les() {
    run les 48 les processor=gpu grid=L,XL style=explicit,managed,managed-prefetch cpu-touch=none steps=100 trials=2
}

# job les-kernels 25 2 cases/les/EVIDENCE.md, "On an H200": what each kernel reaches
job_les-kernels() {
    compile cases/les/benchmarks/kernels.cpp build/les_kernels build/gpu/cases/les/native/libwatari_case_les.a &&
        build/les_kernels gpu 512x512x128 | tee "$folder/les-kernels.txt"
}

# job les-directives 60 - cases/les/README.md, "Styles in directives": their rate beside `explicit` and `managed`
# With OFFLOAD (scripts/offload.sh). A small grid first: whether each compiler's code is right
job_les-directives() {
    [[ ${OFFLOAD:-} ]] && export LD_LIBRARY_PATH=$OFFLOAD:${LD_LIBRARY_PATH:-}
    run les-directives-small 20 les processor=gpu grid=64x64x32 style=explicit,acc-data,acc-managed,omp-target compiler=gcc,llvm cpu-touch=facets steps=20 trials=1
    run les-directives 38 les processor=gpu grid=M style=explicit,managed,acc-data,acc-managed,omp-target compiler=gcc,llvm cpu-touch=none,facets every=10 steps=30 trials=1
}

# job les-machines 75 2 cases/les/EVIDENCE.md, "Predictions": GPU and CPU; studies.md, City-LES
job_les-machines() {
    run les-machines 70 --plan les-machines
}

# job city-les 150 3 cases/les/EVIDENCE.md, touches and "Predictions"; cases/les/README.md, conclusions
# touches and the rates that predict them, in one run; before it, threads that wait busily after a touch
job_city-les() {
    run city-les-busy 16 les processor=gpu grid=L style=managed cpu-touch=facets,all every=10 steps=101 trials=1
    export OMP_WAIT_POLICY=passive
    run city-les 125 --plan les-touches
}

# job les-ranks 125 5 cases/les/EVIDENCE.md, "On two GPUs": weak, strong, share of halos and sums
# one GPU beside two, weak scaling first; then the plan without four GPUs and CUDA-aware MPI
job_les-ranks() {
    with_nccl
    LIMIT=25s # ends ranks in a deadlock
    run_cases les-ranks-peer 58 <<'EOF'
[defaults]
processor = "gpu"
style = "explicit"
cpu-touch = "none"
steps = 50
trials = 2
[[case]]
case = "les"
grid = "XL"
[[case]]
case = "les"
grid = "1024x2048x128"
split = "1x2x1"
halo = "peer"
[[case]]
case = "les"
grid = "L"
[[case]]
case = "les"
grid = "L"
split = ["1x2x1", "2x1x1"]
halo = "peer"
EOF
    ranks les-ranks-peer fingerprint cells_per_s exchange_share exchange_s
    run_first les-ranks 60 les-ranks '"nccl", "staged"' '2x2x1|"device"'
    ranks les-ranks fingerprint cells_per_s exchange_share exchange_s
}

# job les-radiation 90 - cases/les/CITY.md, "Radiation between facets": view factors and touches of 10^6 facets
# the first case traces the view factors, the others read them; then the rate of the CPU's reads
job_les-radiation() {
    local cache
    cache=$(mktemp -d)
    export XDG_CACHE_HOME=$cache OMP_WAIT_POLICY=passive
    run_cases les-radiation 85 <<'EOF'
[defaults]
trials = 1
[[case]]
case = "les"
processor = "gpu"
grid = "1024x512x64"
radiation = ["cpu", "gpu"]
every = [10, 1]
steps = 31
[[case]]
case = "gather"
processor = "cpu"
memory = "pageable"
pattern = "strided"
element = 4
stride = 64
size = "1GiB"
samples = 7
[[case]]
case = "les"
processor = "gpu"
grid = "1024x512x64"
steps = 31
[[case]]
case = "les"
processor = "gpu"
style = "pinned"
grid = "1024x512x64"
cycles = 1
every = 1
steps = 4
EOF
    ranks les-radiation view_s view_from_file view_nonzeros radiation_residual radiation_imbalance cells_per_s fingerprint
    rm -rf "$cache"
}

# job les-floors 65 3 cases/les/EVIDENCE.md, "On CPUs": cores beside their memory
job_les-floors() {
    floors les 25 step_bytes_per_s grid=L cpu-touch=none steps=10
}

# job scaling-les 70 6 cases/les/EVIDENCE.md, "On four GPUs of one host": strong and weak
job_scaling-les() {
    scaling les 65 'explicit' 'nccl' scaling-les
}

# job scaling-les-styles 28 6 cases/les/EVIDENCE.md, "On four GPUs of one host": managed memory, other paths of the halo
job_scaling-les-styles() {
    scaling les-styles 24 'managed|nccl' '' scaling-les
}

# job les-mist 52 2 cases/les/CITY.md, "Mist" and "Waves of the grid's scale": fraction of the bytes beside the dry city
# dry and misty, central and third, in turns; an interrupted run resumes. Before them the rate of each kernel:
# `water` and `water, drying` beside the tendencies
job_les-mist() {
    local round
    if [[ -d build/gpu/lib ]]; then # not of an installed package
        compile cases/les/benchmarks/kernels.cpp build/les_kernels build/gpu/cases/les/native/libwatari_case_les.a &&
            build/les_kernels gpu 512x512x128 1 mist | tee "$folder/les-mist-kernels.txt"
    fi
    for round in 1 2; do
        run "les-mist-$round" 21 les processor=gpu grid=L style=explicit cpu-touch=none steps=50 trials=1 \
            mist=none,rows:16 advection=central,third
        ranks "les-mist-$round" cells_per_s step_bytes_per_s grid_scale_share water_residual heat_residual
    done
}

# job les-trees 75 - cases/les/CITY.md, "Trees": drag beside the bare city, then shade and vapour
# at first one size, bare and with trees, in turns; then radiation on the CPU and on the GPU, and managed memory
job_les-trees() {
    local cache
    cache=$(mktemp -d)
    export XDG_CACHE_HOME=$cache OMP_WAIT_POLICY=passive
    run les-trees-drag 22 les processor=gpu grid=L style=explicit cpu-touch=none steps=50 trials=2 trees=none,rows:16
    ranks les-trees-drag cells_per_s fingerprint tree_drag
    run les-trees 48 les processor=gpu grid=M style=explicit,managed trees=none,rows:16 radiation=cpu,gpu every=10 steps=31 trials=1
    ranks les-trees cells_per_s fingerprint view_s view_nonzeros tree_light tree_heat tree_vapour water_residual heat_residual radiation_imbalance
    rm -rf "$cache"
}

alternated_les() { # its group of job alternated
    cat <<'EOF'
[[case]]
case = "les"
grid = "L"
cpu-touch = "none"
steps = 50
EOF
}
