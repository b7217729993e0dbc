# Sourced by test.sh and acceptance.sh, with the name of their target: runs stages, keeps the output
# of each in build/logs, and stops at the first that fails.
# shellcheck shell=bash
logs=build/logs
mkdir -p $logs
target=$1 # of make
stages=()
# One more than there are cores: many tests wait, for disks, delays and processes.
jobs=$(($(nproc) + 1))

stage() { # name, command...: runs it, shows it and keeps its output
    local name=$1 from=$SECONDS
    shift
    step "$name"
    "$@" 2>&1 | tee "$logs/${name// /-}.log" || fail "" "make $target: FAILED in stage '$name'"
    stages+=("$(printf '%-22s %4d s' "$name" $((SECONDS - from)))")
}
# name, package, whether it is there, command...: a stage that needs a package that PyPI does not have
stage_with() {
    local name=$1 package=$2 there=$3
    shift 3
    if $there; then
        stage "$name" "$@"
    else
        stages+=("$(printf '%-22s skipped: no %s' "$name" "$package")")
    fi
}
closing() { [[ -f $logs/$1.log ]] && grep -hE "$2" "$logs/$1.log" | tail -n 1 | sed 's/=//g; s/^ *//; s/ *$//'; }
python_tests() { "$VENV/bin/pytest" -n $((jobs < 4 ? jobs : 4)) --dist worksteal --durations=25 "$@"; }
