#!/usr/bin/env bash
# Measures this machine once with the standard plan and three small applications, and makes the report.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

scripts/setup.sh demo
step "Build (some minutes the first time)"
scripts/build.sh
step "Measure: the standard plan, one trial of each case"
mkdir -p demo
watari run --quick -o demo/results.json
step "Measure: storage, the Himeno benchmark and a product of matrices"
watari run --plan demo -o demo/applications.json
step "Report"
watari report demo/results.json demo/applications.json -o demo/report.html
echo "Several trials of each case, so that the answer has intervals: watari run -o results.json"
printf '\nThe report: %s\n' "$PWD/demo/report.html"
