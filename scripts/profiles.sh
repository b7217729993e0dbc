#!/usr/bin/env bash
# Makes the profiles of the machines that were measured, published/machines/*.json, by the command that
# a user has: profiles.sh [FOLDER].
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(realpath "${1:-$root/published/machines}")

# NAME FILE...: the profile of this name, from result files of the same machine
profile() {
    local name=$1
    shift
    watari profile "$@" -o "$folder/$name.json" >/dev/null
    echo "$folder/$name.json"
}

cd "$root/results"
profile h100 nvidia-h100-80gb-hbm3-x86_64/{20261124-standard,20261125-standard,20261125-gh200-sam}.json
profile h200 nvidia-h200-x86_64/{20261121-standard,20261121-gh200-sam}.json
