#!/usr/bin/env bash
# The jobs of gpu.sh: gpu_jobs.sh JOB FOLDER runs one, and leaves its results in FOLDER. Without arguments it
# prints the table: the job, the seconds after which gpu.sh ends it, the call that it belongs to, and the part of
# docs/ that its results replace. Seconds are those of earlier results on an H200 with 16 cores, and a little more.
# shellcheck disable=SC2329  # jobs call the functions
set -euo pipefail
source "$(dirname "$0")/environment.sh"

# Each job is a function under a line `# job NAME SECONDS CALL REPLACES`, here or in the folder of its case.
files=("${BASH_SOURCE[0]}" cases/*/gpu_jobs.sh)
[[ $# -gt 0 ]] || { grep -h '^# job ' "${files[@]}" | cut -d ' ' -f 3- && exit; }

job=$1 folder=$(realpath -ms "$2")
mkdir -p "$folder"
trap 'exit 130' INT # the interrupted run writes its results; no other run follows
failed=0

run() { # name of the result, seconds, words of `watari run`; LIMIT: of a trial
    local file=$folder/$1.json log=$folder/$1.txt budget=$2 resume=() earlier
    shift 2
    for earlier in "$file" "$file.journal"; do # a run that was killed leaves its journal
        [[ ! -f $earlier ]] || resume=(--resume "$earlier")
    done
    [[ ${LIMIT:-} ]] && resume+=(--time-limit "$LIMIT")
    watari run "$@" --budget "${budget}s" -o "$file" "${resume[@]}" >"$log" 2>&1 || failed=1
}
# As `run`, for a stored plan: groups that match one pattern come first, groups that match another are left out.
run_first() { # name of the result, seconds, plan, first, left out
    awk -v RS= -v ORS='\n\n' -v first="$4" -v out="${5:-^$}" '
        /\[\[case\]\]/ { cases = 1 }
        cases && $0 ~ out { next }
        cases && $0 !~ first { later = later $0 "\n\n"; next }
        { print }
        END { printf "%s", later }' "$(find plans cases/*/plans -name "$3.toml")" >"$folder/$1.toml"
    run "$1" "$2" --plan "$folder/$1.toml"
}
# As `run`, for the cases on the standard input.
run_cases() { # name of the result, seconds
    sed "1i name = \"$1\"" >"$folder/$1.toml"
    run "$1" "$2" --plan "$folder/$1.toml"
}
# Groups of a plan, from all folders of cases: what their functions of this prefix print.
of_cases() { # prefix
    local group groups
    mapfile -t groups < <(compgen -A function "$1_")
    printf '[defaults]\nprocessor = "gpu"\ntrials = 1\n'
    for group in "${groups[@]}"; do "$group"; done
}
tests_on_a_gpu() { # folders: prints their files with tests on a GPU, without files that need a launcher
    grep -rl --include='test_*.py' 'mark\.gpu' "$@" | xargs grep -L 'mark\.mpi'
}
compile() { # source, program, the archive of a case
    local cuda=/usr/local/cuda/targets/x86_64-linux
    local libraries=("${@:3}" -Lbuild/gpu/lib -lwatari "-Wl,-rpath,$PWD/build/gpu/lib:$cuda/lib" -lcudart -lgomp)
    g++ -O3 -std=c++20 -fopenmp -I. -Isrc -Ibuild/gpu/include -I"$cuda/include" "$1" -L"$cuda/lib" "${libraries[@]}" -o "$2"
}

ranks() { # name of a result, quantities: prints them for each trial, with all digits, for a log
    [[ -f $folder/$1.json ]] || return 0 # `run` says so
    python3 - "$folder/$1.json" "${@:2}" <<'EOF' || failed=1
import json, sys
for case in json.load(open(sys.argv[1]))["cases"]:
    of = " ".join(str(case["parameters"][name]) for name in ("grid", "lattice", "precision", "rhs", "split", "halo", "overlap", "mist", "trees", "radiation", "advection") if name in case["parameters"])
    for trial in case["trials"]:
        known = {name: trial["quantities"][name]["value"] for name in sys.argv[2:] if name in trial["quantities"]}
        print(of, trial["status"], *(f"{name} {value:.16g}" for name, value in known.items()), (trial.get("error") or "")[:160])
EOF
}
with_nccl() { # adds the NCCL of the Python package; without multicast, which a shared host may not support
    export NCCL_NVLS_ENABLE=${NCCL_NVLS_ENABLE:-0}
    local folder
    folder=$(python3 -c 'import nvidia.nccl as n; print(n.__path__[0] + "/lib")' 2>/dev/null) || return 0
    export LD_LIBRARY_PATH=$folder:${LD_LIBRARY_PATH:-}
}

floors() { # case, seconds of a run, its quantity, its axes: cores beside their memory. Rates vary: so all run in turn
    local round threads=${THREADS:-$(($(nproc) < 16 ? $(nproc) : 16))}
    [[ -x build/stream ]] || g++ -O3 -march=native -fopenmp -o build/stream benchmarks/stream_copy.cpp || failed=1
    stream() { # number
        OMP_NUM_THREADS=$threads OMP_PLACES=cores OMP_PROC_BIND=close \
            build/stream $((1 << 30)) 15 triad >"$folder/floor-stream-$1.txt" || failed=1
        run "floor-copy-$1" 12 copy processor=cpu memory=pageable size=1GiB trials=1 samples=15 threads="$threads"
    }
    for round in 1 2; do
        stream "$round"
        run "floor-$1-$round" "$2" "$1" processor=cpu trials=1 threads="$threads" "${@:4}"
    done
    stream 3
    python3 scripts/gpu/floors.py "$folder" "$1" "$3" | tee "$folder/floors-$1.txt"
}

sanitized() { # tool, file, its tests (pytest -k)
    compute-sanitizer --tool "$1" --error-exitcode 9 python3 -m pytest -q -p no:cacheprovider \
        "$(find tests/python cases/*/tests -name "test_$2.py")" -k "$3" >>"$folder/sanitizers.txt" 2>&1 || failed=1
}

# job tests 150 1 cases/hmatrix/EVIDENCE.md, "Verification"; "Limits" of the cases
job_tests() {
    log=$folder/tests.txt
    ctest --test-dir build/gpu -R 'gpu|Gpu' -E '_gpu_[248]$' -j 4 --output-on-failure >"$log" 2>&1 || failed=1
    mapfile -t files < <(tests_on_a_gpu tests/python/{krylov,run,memory,machine} cases/*/tests)
    python3 -m pytest -q -p no:cacheprovider -m gpu -n 4 --dist worksteal "${files[@]}" >>"$log" 2>&1 || failed=1
    grep -hE 'tests passed|passed|failed' "$log" | tail -n 4
}

# job alternated 300 - the rates of an earlier package beside this one's, for pages that say that none changed
# EARLIER: a folder with an earlier package, by `pip install --target`. scripts/gpu/alternated.py compares the results
job_alternated() {
    local package=${PYTHONPATH:-} round turn
    for round in 1 2 3; do
        for turn in earlier now; do
            [[ $turn == now || ${EARLIER:-} ]] || continue
            [[ $turn == now ]] || export PYTHONPATH=$EARLIER
            run_cases "alternated-$turn-$round" 45 < <(of_cases alternated)
            [[ $turn == now ]] || export PYTHONPATH=$package
        done
    done
    python3 scripts/gpu/alternated.py "$folder" | tee "$folder/alternated.txt"
}

# job contention 45 2 evidence/advise.md: several processes on one link
# small arrays: each process pins its own before it measures
job_contention() {
    run contention-gpu 8 copy processor=gpu memory=device means=kernel processes=1,2,4 size=256MiB trials=2 samples=20
    run contention-in 12 copy processor=gpu from=pinned to=device processes=1,2,4 size=256MiB trials=2 samples=20
    run contention-out 12 copy processor=gpu from=device to=pinned processes=1,2,4 size=256MiB trials=2 samples=20
    run contention-managed 12 access processor=gpu memory=managed processes=1,2,4 size=256MiB trials=2 samples=20
}

# job memory-more 80 4 cases/storage/EVIDENCE.md: modelled SSDs; cases/memory/README.md: numa; cases/gemm/EVIDENCE.md: double
job_memory-more() {
    run storage-modelled 30 storage engine=gpu store=modelled:kioxia-cm6-v,modelled:samsung-pm1743,modelled:ten-million block=512,4KiB trials=2 samples=5
    run numa 20 copy processor=cpu memory=pageable numa=local,0 size=1GiB trials=3 samples=20
    run gemm-double 28 gemm n=16384 precision=single,double store=ram engine=gpu,pinned trials=1
}

# job programs 240 4 try.md, "Evidence": each program; trace.md: overhead, touches; advise.md: --confirm
job_programs() {
    MOST=230 tests/attach/gpu/programs/run.sh "$folder/programs" >"$folder/programs.txt" 2>&1 || failed=1
    cat "$folder/programs/summary.txt"
}

# job ranks-tests 190 5 ranks.md, "On two GPUs": the same bits; two GPUs, as the jobs *-ranks
# the most important first; a test that hangs does not take the time of the others
job_ranks-tests() {
    log=$folder/ranks-tests.txt
    with_nccl
    of_ranks() { # seconds, words of pytest
        timeout -k 3 "$1" python3 -m pytest -q -p no:cacheprovider -m 'gpu and mpi' "${@:2}" >>"$log" 2>&1 || failed=1
    }
    timeout -k 3 25 ctest --test-dir build/gpu -R '_gpu_2$' -E device --output-on-failure >>"$log" 2>&1 || failed=1
    for file in cases/*/tests/test_*_ranks.py; do
        of_ranks 40 "$file" -k 'not device'
    done
    grep -hE 'Passed|Failed|\*\*\*|tests passed|passed|failed' "$log" | tail -n 12
}

# The groups of a plan that match one pattern and not another, for the GPUs of this machine. Then whether several
# ranks computed what one did. The plan is `scaling`, or that of a case: `scaling-CASE`.
scaling() { # piece, seconds, groups, groups left out, plan
    local name=scaling-$1 gpus
    gpus=$(nvidia-smi -L | wc -l)
    with_nccl
    [[ ${OFFLOAD:-} ]] && export LD_LIBRARY_PATH=$OFFLOAD:${LD_LIBRARY_PATH:-}
    awk -v RS= -v ORS='\n\n' -v wanted="$3" -v out="${4:-^$}" -v gpus="$gpus" '
        /\[\[case\]\]/ && ($0 !~ wanted || $0 ~ out || (gpus < 8 && /# eight GPUs/)) { next }
        { print }' "$(find plans cases/*/plans -name "${5:-scaling}.toml")" >"$folder/$name.toml"
    LIMIT=45s run "$name" "$2" --plan "$folder/$name.toml" # the limit ends ranks in a deadlock
    python3 scripts/same_on_ranks.py "$folder/$name.json" || failed=1
}

# Call 6: the GPUs of one host, four or eight; in order of importance. A case may have its own job in its folder.
# job scaling-himeno 150 6 evidence/ranks.md: Himeno, strong and weak
job_scaling-himeno() {
    scaling himeno 145 'case = "himeno"' 'nccl|staged|"L"'
}

# job scaling-lattice 95 6 evidence/ranks.md: classes 2 and 3, splits
job_scaling-lattice() {
    scaling lattice 90 'case = "lattice".*explicit'
}

# job scaling-links 36 6 evidence/ranks.md: copies between all pairs, and over the hosts' links at once
job_scaling-links() {
    scaling links 33 'case = "copy"'
}

# job scaling-hmatrix 36 6 evidence/ranks.md: rows of an H-matrix
job_scaling-hmatrix() {
    scaling hmatrix 33 'case = "hmatrix"'
}

# job scaling-paths 90 6 evidence/ranks.md: Himeno by other paths of the halo, and in directives
job_scaling-paths() {
    scaling paths 86 'case = "himeno".*(nccl|staged|"L")'
}

# job scaling-styles 57 6 evidence/ranks.md: managed memory and directives of the lattice
job_scaling-styles() {
    scaling styles 53 'case = "lattice".*(managed|acc-data|nccl)'
}

# job standard 200 - machines.md: this machine beside another; evidence/advise.md
job_standard() {
    run standard 195
}

# job sanitizers 300 - cases/memory/EVIDENCE.md, checks
job_sanitizers() {
    sanitized memcheck memory ""
    sanitized racecheck memory "holds_what"
    sanitized memcheck himeno ""
    sanitized memcheck storage "serve_themselves and ram"
    sanitized memcheck gemm_library "planned and gpu-gpu"
    grep -E "ERROR SUMMARY|RACECHECK SUMMARY|passed" "$folder/sanitizers.txt"
}

# job rivals 120 - cases/memory/EVIDENCE.md, "Against other programs on this machine"
job_rivals() {
    python3 benchmarks/rivals.py -o "$folder/rivals.json" >"$folder/rivals.txt" 2>&1
}

# job resume 60 - reliability.md: kill and resume
job_resume() {
    python3 scripts/resume.py "$folder"
}

for file in "${files[@]:1}"; do
    # shellcheck source=/dev/null
    source "$file"
done
[[ $(type -t "job_$job") == function ]] || fail "no job is called '$job'"
"job_$job"
exit $failed
