#!/usr/bin/env bash
# Himeno on all GPUs of a machine, offline, with Watari installed:
#   cases/himeno/benchmarks/ranks.sh FOLDER
# Tests first; then XL divided among 1, 2, 4 ... GPUs (strong scaling) and XL for each GPU (weak), by
# every halo path, with and without overlap. FOLDER gets tests.log, strong.json, weak-N.json and
# table.txt. TESTS=no leaves the tests out, ITERATIONS (200) are those of a trial, and
# LAUNCHER='NAME=VALUE mpirun -n {ranks} ...' takes another MPI or UCX (docs/ranks.md).
set -euo pipefail
cd "$(dirname "$0")/../../.."

folder=$(realpath -ms "$1")
mkdir -p "$folder"
gpus=$(python3 -c 'from watari import _native; print(len(_native.gpus()["gpus"]))')
root="OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
launcher=${LAUNCHER:-"$root mpirun -n {ranks}"}
iterations=${ITERATIONS:-200}
halos=staged,device,nccl,peer
step() { printf '\n== %s (%d s)\n' "$1" $SECONDS; }
measure() { # file, axes...
    local file=$1
    shift
    watari run himeno processor=gpu style=explicit form=fused kernel=tuned iterations="$iterations" \
        trials=1 halo=$halos overlap=no,yes "$@" -o "$file" --launcher "$launcher" 2>&1 | tail -n 20
}

if [[ ${TESTS:-yes} == yes ]]; then
    step "Tests on $gpus GPUs"
    WATARI_TEST_LAUNCHER=$launcher python3 -m pytest -q -p no:cacheprovider -m "gpu and mpi" \
        cases/himeno/tests/test_himeno_ranks.py 2>&1 | tee "$folder/tests.log" | tail -n 40 || true
fi

# memory of some virtual machines grows as it is used: the host's copies are 15 GB a rank
step "Memory"
python3 -m watari.run.prefault $((gpus * 20 * 10 ** 9))

step "Strong scaling, XL"
counts=1
for ((ranks = 2; ranks <= gpus; ranks *= 2)); do counts+=,$ranks; done
measure "$folder/strong.json" grid=XL ranks="$counts"
for ((ranks = 2; ranks <= gpus; ranks *= 2)); do
    step "Weak scaling, XL for each of $ranks GPUs"
    measure "$folder/weak-$ranks.json" grid=$((510 * ranks + 2))x512x1024 ranks="$ranks"
done

step "Table"
python3 - "$folder" <<'PYTHON' | tee "$folder/table.txt"
import json, pathlib, statistics, sys

folder = pathlib.Path(sys.argv[1])
alone = None
print(f"{'scaling':8} {'GPUs':>4} {'halo':7} {'overlap':7} {'ms':>8} {'GFLOPS':>8} {'efficiency':>10}")
for path in [folder / "strong.json", *sorted(folder.glob("weak-*.json"))]:
    for case in json.loads(path.read_text())["cases"]:
        p, trial = case["parameters"], case["trials"][0]
        label = f"{path.stem.split('-')[0]:8} {p['ranks']:4} {p['halo']:7} {'no yes'.split()[p['overlap']]:7}"
        if case["status"] != "ok":
            print(label, case["status"], case["reason"])
            continue
        seconds = statistics.median(trial["host_s"][1:])
        rate = case["flops_per_sample"] / seconds / 1e9
        alone = alone or rate  # one GPU comes first
        print(f"{label} {seconds * 1e3:8.3f} {rate:8.0f} {rate / alone / p['ranks']:10.3f}")
PYTHON
step "Done"
