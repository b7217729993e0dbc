#!/usr/bin/env bash
# Builds and installs the package into the virtual environment: build.sh [pip's options]
# CASES=deep,gather builds these cases alone; without it, all. With CUDA if nvcc is installed. Build tools are those of
# the virtual environment, so that the build directory stays valid and a second build compiles only changed files.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

log=build/logs/pip.log cases=${CASES:-}
mkdir -p build/logs

# Shows what ninja has done of what it has to do, on one line of a terminal.
progress() {
    local line end='\n' last=''
    [[ -t 1 ]] && end='\e[K\r'
    while IFS= read -r line; do
        [[ $line =~ (\[[0-9]+/[0-9]+\])\ Building\ ([A-Z]+)\ object\ (.*) ]] || continue
        last="${BASH_REMATCH[1]} ${BASH_REMATCH[2]} ${BASH_REMATCH[3]##*/}"
        printf "%s$end" "$last"
    done
    [[ -z $last || $end == '\n' ]] || printf '\n'
}

if [[ $* == *WATARI_CUDA=OFF* ]]; then
    echo "No GPU: a build for the CPU alone"
elif command -v nvcc >/dev/null; then
    echo "CUDA: $(command -v nvcc)"
else
    echo "No nvcc: a build for the CPU alone"
fi
"$VENV/bin/python" -m pip install -v --disable-pip-version-check --no-build-isolation --no-deps \
    --config-settings=cmake.define.WATARI_CASES="${cases//,/;}" "$@" . 2>&1 | tee "$log" | progress ||
    fail "$(grep -vE '^ *\[[0-9]+/[0-9]+\] (Building|Linking)' "$log" | tail -n 60)" "The build failed: $log has all of its output"
