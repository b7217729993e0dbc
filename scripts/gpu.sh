#!/usr/bin/env bash
# Builds, tests and measures on a GPU machine, offline, in one call:
#   scripts/gpu.sh FOLDER [PLAN=BUDGET ...]      e.g. scripts/gpu.sh evidence gh200-sam=8min
# FOLDER gets the logs of the checks, the probe, the standard plan's result, the rivals' and one
# result a plan; a plan that an earlier call left unfinished there is continued. The Python packages
# must be there already. REVISION names the sources where they are no git checkout.
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

step "Tests on the GPU"
failed=0
ctest --test-dir build/gpu --output-on-failure >>"$log" 2>&1 || failed=1
python3 -m pytest -q -p no:cacheprovider tests/python/test_{memory,bench,probe,worker,storage,gemm_library,himeno,himeno_directives}.py \
    2>&1 | tee -a "$log" | tail -n 25 || failed=1
compute-sanitizer --tool memcheck --error-exitcode 9 python3 -m pytest -q -p no:cacheprovider \
    tests/python/test_{memory,himeno}.py >>"$log" 2>&1 || failed=1
compute-sanitizer --tool racecheck --error-exitcode 9 python3 -m pytest -q -p no:cacheprovider \
    tests/python/test_memory.py -k "holds_what" >>"$log" 2>&1 || failed=1
compute-sanitizer --tool memcheck --error-exitcode 9 python3 -m pytest -q -p no:cacheprovider \
    tests/python/test_storage.py -k "serve_themselves and ram" >>"$log" 2>&1 || failed=1
compute-sanitizer --tool memcheck --error-exitcode 9 python3 -m pytest -q -p no:cacheprovider \
    tests/python/test_gemm_library.py -k "planned and gpu-gpu" >>"$log" 2>&1 || failed=1
grep -E "ERROR SUMMARY|RACECHECK SUMMARY|tests passed|passed" "$log"

step "Rivals"
python3 benchmarks/rivals.py -o "$folder/rivals.json" || failed=1
step "The standard plan"
time watari run -o "$folder/standard.json" >"$folder/standard.txt" 2>&1 || failed=1
tail -n 90 "$folder/standard.txt"
for job in "$@"; do
    plan=${job%=*} budget=${job#*=}
    step "Plan $plan, $budget"
    resume=()
    [[ -f $folder/$plan.json ]] && resume=(--resume "$folder/$plan.json")
    watari run --plan "$plan" --budget "$budget" -o "$folder/$plan.json" "${resume[@]}" \
        >"$folder/$plan.txt" 2>&1 || failed=1
    tail -n 5 "$folder/$plan.txt"
done
exit $failed
