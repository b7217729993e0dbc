#!/usr/bin/env bash
# Measures this machine once with the standard plan and three small applications, and makes the report.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

# the cases of the standard plan and of plan `demo`, for the GPUs of this machine
export CASES=memory,latency,gather,atomic,deep,storage,himeno,gemm
gpus=(--config-settings=cmake.define.WATARI_CUDA=OFF)
if nvidia-smi -L >/dev/null 2>&1; then
    gpus=(--config-settings=cmake.define.WATARI_CUDA=AUTO)
    export CUDAARCHS=native
fi

scripts/setup.sh demo
step "Build (some minutes the first time)"
scripts/build.sh --config-settings=build-dir=build/demo "${gpus[@]}"
step "Measure: the standard plan, one trial of each case"
mkdir -p demo
watari run --quick -o demo/results.json
step "Measure: storage, the Himeno benchmark and a product of matrices"
watari run --plan demo -o demo/applications.json
step "Report"
watari report demo/results.json demo/applications.json -o demo/report.html
echo "Several trials of each case, so that the answer has intervals: watari run -o results.json"
cat <<EOF
All cases, with \`watari bem\` (charges of a surface), \`watari wind\` (the air of a city) and the lattice: make build
Meshes in PLY and OFF: pip install 'watari[bem]'. Maps, netCDF and pictures of a city: pip install 'watari[city]'
EOF
printf '\nThe report: %s\n' "$PWD/demo/report.html"
