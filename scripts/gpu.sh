#!/usr/bin/env bash
# Builds on a GPU machine, offline, and runs jobs there, each within its own time, in one call:
#   scripts/gpu.sh FOLDER JOB ...      e.g. scripts/gpu.sh evidence 1, or: scripts/gpu.sh evidence lattice gh200-sam=8min
# A JOB is one of the table that scripts/gpu_jobs.sh prints, a number of its column of calls for all of these, or
# PLAN=BUDGET. FOLDER gets summary.txt, results.tar.gz and logs.tar.gz, new after each job. Results lie in
# build/gpu-runs too, where a later call resumes unfinished runs. The Python packages must be there already.
# BUILD=no runs the package that is installed. MOST: seconds for everything (570). REVISION names the sources if they are no git checkout. OFFLOAD is a
# folder that scripts/offload.sh filled: the styles acc-* and omp-*, if GCC makes no code for NVIDIA GPUs.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

folder=$(realpath -ms "$1") runs=build/gpu-runs
shift
table=$(scripts/gpu_jobs.sh)
jobs=()
for word in "$@"; do
    case $word in
        [0-9]) mapfile -t -O ${#jobs[@]} jobs < <(awk -v call="$word" '$3 == call { print $1 }' <<<"$table") ;;
        *=*) jobs+=("$word") ;;
        *) grep -q "^$word " <<<"$table" || fail "no job is called '$word'" && jobs+=("$word") ;;
    esac
done
((${#jobs[@]})) || fail "name jobs of this table, or calls:" "$table"
mkdir -p "$folder" "$runs"
touch "$runs/begun"
report=()

new() { find "$runs" -type f -newer "$runs/begun" \( "$@" \) -printf '%P\n' | sort; }
pack() { # writes the three files, even if more jobs follow
    local results name
    tar -czf "$folder/results.tar.gz" -C "$runs" -T <(new -name '*.json' ! -name 'perfetto-*' -o -name '*.txt' -o -name '*.toml')
    tar -czf "$folder/logs.tar.gz" -C "$runs" -T <(new -name '*.log')
    mapfile -t results < <(new -path "$runs/*.json" ! -path "$runs/programs/*" ! -name 'probe.json' ! -name fio.json ! -name rows.json)
    {
        for name in $(new -path "$runs/*.log" ! -path "$runs/programs/*" ! -name build.log); do
            [[ -s $runs/$name ]] && echo "== $name" && tail -n 40 "$runs/$name"
        done
        ((${#results[@]})) && python3 scripts/gpu/headlines.py "${results[@]/#/$runs/}"
        printf '%s\n' "" "${report[@]}"
    } >"$folder/summary.txt" 2>&1 || true
}
ended() { # name, seconds, exit code
    local outcome=ok
    (($3 == 0)) || outcome="exit code $3"
    (($3 == 124 || $3 == 137)) && outcome="ended by its limit"
    report+=("$(printf '%-14s %4d s  %s' "$1" "$2" "$outcome")")
    echo "${report[-1]}"
}

sources() { # one checksum of all compiled or installed files: a later call reuses the build if it is the same
    find CMakeLists.txt pyproject.toml cmake src cases python plans published tests/cpp tests/emulator tests/attach tests/hostile \
        -name __pycache__ -prune -o -type f -print0 | sort -z | xargs -0 sha1sum | sha1sum
}
build() {
    local gpu
    gpu=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .) || true
    CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) python3 -m pip install --no-build-isolation --no-deps --force-reinstall -q \
        --config-settings=build-dir=build/gpu --config-settings=cmake.define.WATARI_{TESTS,CUDA}=ON \
        --config-settings=cmake.define.CMAKE_CUDA_ARCHITECTURES="${gpu:-90}-real" \
        --config-settings=cmake.define.WATARI_REVISION="${REVISION:-}" . >"$runs/build.log" 2>&1
}
if [[ ${BUILD:-} == no ]]; then
    command -v watari >/dev/null || fail "BUILD=no: no installed package has a command watari on PATH"
elif [[ $(sources) != "$(cat "$runs/built" 2>/dev/null)" ]]; then
    build || fail "$(tail -n 40 "$runs/build.log")" "the build failed"
    sources >"$runs/built"
fi
ended build $SECONDS 0
if [[ ${OFFLOAD:-} ]]; then
    OFFLOAD=$(realpath "$OFFLOAD")
    export OFFLOAD
    package=$(cd / && python3 -c 'import watari; print(watari.__path__[0])')
    for part in "$OFFLOAD"/libwatari_*.so; do # libwatari_<case>_<model>_<compiler>.so lies beside the module of its case
        name=${part##*/libwatari_}
        cp "$part" "$package/cases/${name%%_*}"
    done
fi
((EUID)) || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # mpirun refuses root otherwise
watari probe >"$runs/probe.txt"
watari probe --json >"$runs/probe.json"

# cuFile asks udev for the file system of a disk: without udev, this writes the answer
store=~/.cache/watari
mkdir -p "$store"
disk=$(findmnt -no MAJ:MIN -T "$store" | tail -n 1 | tr -d ' ' || true)
type=$(findmnt -no FSTYPE -T "$store" | tail -n 1 || true)
if [[ $disk && $type && ! -d /run/udev/data && -w /run ]]; then
    mkdir -p /run/udev/data
    printf 'E:ID_FS_USAGE=filesystem\nE:ID_FS_TYPE=%s\n' "$type" >"/run/udev/data/b$disk"
fi

failed=0
for job in "${jobs[@]}"; do
    from=$SECONDS left=$((${MOST:-570} - SECONDS - 10)) code=0
    case $job in
        *=*) # a plan ends by itself within its budget
            limit=$left name=${job%=*}
            command=(watari run --plan "$name" --budget "${job#*=}" -o "$runs/$name.json")
            for earlier in "$runs/$name.json.journal" "$runs/$name.json"; do # the journal is that of a killed run
                [[ -f $earlier ]] && command+=(--resume "$earlier") && break
            done
            ;;
        *)
            limit=$(awk -v job="$job" '$1 == job { print $2 }' <<<"$table") name=$job
            command=(scripts/gpu_jobs.sh "$job" "$runs")
            ;;
    esac
    ((limit <= left)) || limit=$left
    if ((limit < 10)); then
        report+=("$(printf '%-14s no time left' "$name")")
        failed=1
        continue
    fi
    timeout -s INT -k 10 "$limit" "${command[@]}" >"$runs/$name.log" 2>&1 || code=$?
    ended "$name" $((SECONDS - from)) $code
    if ((code)); then
        failed=1
        tail -n 3 "$runs/$name.log"
    fi
    pack
done
pack
step "Summary"
cat "$folder/summary.txt"
exit $failed
