#!/usr/bin/env bash
# Builds, tests and measures the Himeno benchmark on a GPU machine, offline, in one call:
#   benchmarks/himeno_gpu.sh FOLDER
# FOLDER gets variants.txt (candidates for the tuned kernel at XL), himeno.json (styles, forms and
# kernels at XL, the copy bandwidth beside them), cpu.json and the tests' log.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(realpath -ms "$1")
mkdir -p "$folder"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
step() { printf '\n== %s (%d s)\n' "$1" $SECONDS; }
measure() { # file, case, axes...
    local file=$1
    shift
    watari run "$@" -o "$file" 2>&1 | tail -n 12
}

step "Build"
python3 -m pip install --no-build-isolation --no-deps --force-reinstall -q \
    --config-settings=build-dir=build/gpu --config-settings=cmake.define.WATARI_TESTS=ON \
    --config-settings=cmake.define.WATARI_CUDA=ON \
    --config-settings=cmake.define.WATARI_REVISION="${REVISION:-}" . 2>&1 | tail -n 5
"$nvcc" -std=c++20 -O3 -arch=native -fmad=false --extended-lambda --expt-relaxed-constexpr \
    -Xcompiler -fopenmp -I src benchmarks/himeno_variants.cu build/gpu/src/libwatari.a -ldl \
    -o build/gpu/himeno_variants

step "Variants of the tuned kernel, XL"
build/gpu/himeno_variants | tee "$folder/variants.txt"
step "Tests on the GPU"
python3 -m pytest -q -p no:cacheprovider tests/python/test_himeno.py 2>&1 |
    tee "$folder/tests.log" | tail -n 8 || true
step "Copy bandwidth"
measure "$folder/copy.json" copy memory=device means=kernel size=4GiB samples=50 trials=1
step "Forms and kernels, XL"
measure "$folder/forms.json" himeno style=explicit grid=XL iterations=200 trials=1 \
    form=fused,two-kernel kernel=shared,tuned
step "Styles, XL"
measure "$folder/styles.json" himeno style=managed,managed-prefetch,system grid=XL \
    iterations=200 trials=1
measure "$folder/pinned.json" himeno style=pinned grid=XL iterations=3 trials=1
step "The thesis's 3000 iterations"
measure "$folder/long.json" himeno style=explicit,managed-prefetch grid=XL iterations=3000 trials=1
step "CPU"
measure "$folder/cpu.json" himeno processor=cpu grid=M,L iterations=30 trials=1
measure "$folder/cpu-copy.json" copy processor=cpu size=1GiB samples=20 trials=1
python3 - "$folder" <<'PYTHON'
import json, pathlib, sys

for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
    for case in json.loads(path.read_text())["cases"]:
        p = case["parameters"]
        if case["case"] != "himeno" or not case["trials"]:
            continue
        trial = case["trials"][0]
        s = sorted((trial.get("device_s") or trial["host_s"])[1:] or trial["host_s"])
        q = {n: v["value"] for n, v in trial["quantities"].items()}
        if not s:
            print(p["style"], p["grid"], trial["status"], trial.get("error"))
            continue
        best = case["flops_per_sample"] / s[len(s) // 2] / 1e9
        print(f"{p['processor']} {p['style']} {p['grid']} {p['form']} {p['kernel']}: steady "
              f"{best:.0f} GFLOPS {case['bytes_per_sample'] / s[len(s) // 2] / 1e9:.0f} GB/s, first "
              f"{trial['host_s'][0]:.4g} s, loop {q['loop']:.4g} s, outside "
              f"{q['outside_loop']:.4g} s, {case['status']} verified={trial['verified']} "
              f"fingerprint {q['fingerprint']:.0f}")
PYTHON
step "Done"
