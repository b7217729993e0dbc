#!/usr/bin/env bash
# Builds, tests and measures on a GPU machine, offline, in one call:
#   scripts/gpu.sh FOLDER [JOB ...]      e.g. scripts/gpu.sh evidence tests=storage fio gh200-sam=8min
# A JOB is `tests` (or tests=NAME,... of test_NAME.py in tests/python), `rivals`, `standard` (the standard
# plan), `fio`, `array` (benchmarks of that name), `resume` (kills a product of files and resumes it),
# `programs` (tries and traces other programs) or PLAN=BUDGET; without any: tests, rivals, standard.
# FOLDER gets the logs of the checks, the probe and one result a job; a plan that an earlier call left
# unfinished there is continued. The Python packages must be there already. REVISION names the sources
# where they are no git checkout.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

folder=$(realpath -ms "$1")
shift
mkdir -p "$folder"
log=$folder/checks.log

step "Build"
python3 -m pip install --no-build-isolation --no-deps --force-reinstall -q \
    --config-settings=build-dir=build/gpu --config-settings=cmake.define.WATARI_TESTS=ON \
    --config-settings=cmake.define.WATARI_CUDA=ON \
    --config-settings=cmake.define.WATARI_REVISION="${REVISION:-}" . 2>&1 | tee "$log"
watari probe | tee "$folder/probe.txt"
watari probe --json >"$folder/probe.json"

# cuFile asks udev for the file system of a disk: where there is no udev, its answer is put there
store=~/.cache/watari
mkdir -p "$store"
disk=$(findmnt -no MAJ:MIN -T "$store" | tail -n 1 | tr -d ' ' || true)
type=$(findmnt -no FSTYPE -T "$store" | tail -n 1 || true)
if [[ $disk && $type && ! -d /run/udev/data && -w /run ]]; then
    mkdir -p /run/udev/data
    printf 'E:ID_FS_USAGE=filesystem\nE:ID_FS_TYPE=%s\n' "$type" >"/run/udev/data/b$disk"
    echo "cuFile: added /run/udev/data/b$disk"
fi

failed=0
python_test() { find tests/python -name "test_$1.py"; }
python_tests() { python3 -m pytest -q -p no:cacheprovider "$@"; }
sanitized() { # tool, file, which tests of it
    compute-sanitizer --tool "$1" --error-exitcode 9 python3 -m pytest -q -p no:cacheprovider \
        "$(python_test "$2")" -k "$3" >>"$log" 2>&1 || failed=1
}
case_tests() { # files of cases with tests marked gpu; those that need MPI: benchmarks/himeno_ranks.sh
    grep -rl --include='test_*.py' 'mark\.gpu' tests/python/cases | xargs grep -L 'mark\.mpi' |
        sed 's:.*/test_::; s:\.py$::' | sort | paste -sd,
}
run_tests() {
    local names=${1:-memory,probe,worker,$(case_tests)} name
    step "Tests on the GPU"
    ctest --test-dir build/gpu -j 4 --output-on-failure >>"$log" 2>&1 || failed=1
    for name in ${names//,/ }; do
        python_tests "$(python_test "$name")" 2>&1 | tee -a "$log" | tail -n 5 || failed=1
        case $name in
            memory)
                sanitized memcheck memory ""
                sanitized racecheck memory "holds_what"
                ;;
            himeno) sanitized memcheck himeno "" ;;
            storage) sanitized memcheck storage "serve_themselves and ram" ;;
            gemm_library) sanitized memcheck gemm_library "planned and gpu-gpu" ;;
        esac
    done
    grep -E "ERROR SUMMARY|RACECHECK SUMMARY|tests passed|passed" "$log"
}
run_standard() {
    step "The standard plan"
    time watari run -o "$folder/standard.json" >"$folder/standard.txt" 2>&1 || failed=1
    tail -n 90 "$folder/standard.txt"
}
run_fio() {
    step "fio"
    python3 benchmarks/fio.py --engines uring,gpu --threads 1,4 --depth 64 --rounds 3 --seconds 1.5 \
        -o "$folder/fio.json" 2>&1 | tee "$folder/fio.txt" || failed=1
}
run_array() {
    step "array<T>"
    nvcc -O3 -std=c++20 --extended-lambda --expt-relaxed-constexpr -arch=native -Isrc -Ibuild/gpu/include -x cu \
        -c benchmarks/array_rate.cpp -o build/array_rate.o
    nvcc build/array_rate.o build/gpu/src/libwatari.a -lgomp -lhwloc -l:liburing.a -ldl -o build/array_rate
    build/array_rate 3 $(($(nproc) > 2 ? $(nproc) - 2 : 1)) 2>&1 | tee "$folder/array-rate.txt" || failed=1
}
run_plan() { # name, budget
    local resume=()
    step "Plan $1, $2"
    [[ -f $folder/$1.json ]] && resume=(--resume "$folder/$1.json")
    watari run --plan "$1" --budget "$2" -o "$folder/$1.json" "${resume[@]}" \
        >"$folder/$1.txt" 2>&1 || failed=1
    tail -n 5 "$folder/$1.txt"
}

[[ $# -gt 0 ]] || set -- tests rivals standard
for job in "$@"; do
    case $job in
        tests) run_tests ;;
        tests=*) run_tests "${job#*=}" ;;
        rivals) step "Rivals" && { python3 benchmarks/rivals.py -o "$folder/rivals.json" || failed=1; } ;;
        standard) run_standard ;;
        fio) run_fio ;;
        array) run_array ;;
        programs) step "Programs" && { tests/attach/gpu/run.sh "$folder" || failed=1; } ;;
        resume) step "Kill and resume" && { python3 scripts/resume.py "$folder" || failed=1; } ;;
        *=*) run_plan "${job%=*}" "${job#*=}" ;;
        *) echo "no job is called '$job'" >&2 && exit 2 ;;
    esac
done
exit $failed
