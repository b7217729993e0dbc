#!/usr/bin/env bash
# The jobs of gpu.sh: gpu_jobs.sh JOB FOLDER runs one, and leaves its results in FOLDER. Without arguments it
# prints the table: the job, the seconds after which gpu.sh ends it, the call that it belongs to, and the part of
# docs/ that its results replace. Seconds are those of earlier results on an H200 with 16 cores, and a little more.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

table() {
    cat <<'EOF'
hmatrix        72 1 cases/hmatrix/EVIDENCE.md, "On an H200": products, one and 8 right-hand sides
hmatrix-build  40 1 cases/hmatrix/EVIDENCE.md, "Construction": builds, and the times of their parts
les            52 1 cases/les/EVIDENCE.md, "On an H200": cells a second; cases/les/README.md, conclusions
lattice       190 1 cases/lattice/EVIDENCE.md, "Results", "Directives", "Targets"
lattice-step   64 - cases/lattice/EVIDENCE.md, "The merged step": an earlier package beside this one, if EARLIER has it
tests         150 1 cases/hmatrix/EVIDENCE.md, "Verification"; cases/les/README.md, "Limits"
beyond-copy   115 2 cases/memory/EVIDENCE.md, elements and counters on an H200: trees; studies.md
himeno        200 2 cases/himeno/EVIDENCE.md: the three rates, 200 and 3000 iterations; studies.md. Again: the missing trials
himeno-init    60 - cases/himeno/EVIDENCE.md, "Structs of pointers": init=gpu
pages          22 2 cases/memory/README.md, "Size of pages"; studies.md: page=2MiB, numa=gpu
contention     45 2 evidence/advise.md: several processes on one link
les-kernels    25 2 cases/les/EVIDENCE.md, "On an H200": what each kernel reaches
les-machines   75 2 cases/les/EVIDENCE.md, "Predictions": GPU and CPU; studies.md, City-LES
city-les      150 3 cases/les/EVIDENCE.md, touches and "Predictions"; cases/les/README.md, conclusions
hmatrix-store 265 3 cases/hmatrix/EVIDENCE.md: products that read; studies.md, H-matrix of 42 GB
floors         85 3 cases/les/EVIDENCE.md, cases/lattice/EVIDENCE.md, "On CPUs": cores beside their memory
fio            45 3 cases/storage/EVIDENCE.md: the disk beside fio, at the reader's block
hmatrix-hanawa 110 4 cases/hmatrix/EVIDENCE.md, products that read: Hanawa's 1.31 and 1.71; studies.md
hmatrix-disk   60 4 cases/hmatrix/EVIDENCE.md: 8 right-hand sides and the disk's rate, out of core
disk-more      70 4 cases/storage/EVIDENCE.md: writes, sequential reads, several files
memory-more    80 4 cases/storage/EVIDENCE.md: modelled SSDs; cases/memory/README.md: numa; cases/gemm/EVIDENCE.md: double
programs      240 4 try.md, "Evidence": each program; trace.md: overhead, touches; advise.md: --confirm
migration-map  30 2 cases/memory/EVIDENCE.md, migration: which part moves when; looking disturbs nothing
ranks-tests   100 5 ranks.md; cases/les/EVIDENCE.md, "On two GPUs": the same bits; two GPUs, as the next two
les-ranks     125 5 cases/les/EVIDENCE.md, "On two GPUs": weak, strong, share of halos and sums
lattice-ranks  80 5 cases/lattice/EVIDENCE.md, "On two GPUs": paths, overlap, splits
hmatrix-large 540 - cases/hmatrix/EVIDENCE.md: 40 GB from a disk; it runs on between calls, on the first GPU
standard      200 - machines.md: this machine beside another; evidence/advise.md
sanitizers    300 - cases/memory/EVIDENCE.md, checks
rivals        120 - cases/memory/EVIDENCE.md, "Against other programs on this machine"
array          60 - cases/storage/EVIDENCE.md, the cache of array<T>
resume         60 - reliability.md: kill and resume
EOF
}
[[ $# -gt 0 ]] || { table && exit; }

job=$1 folder=$(realpath -ms "$2")
mkdir -p "$folder"
trap 'exit 130' INT # the interrupted run writes its results; no other run follows
failed=0

run() { # name of the result, seconds, words of `watari run`; LIMIT: of a trial
    local file=$folder/$1.json log=$folder/$1.txt budget=$2 resume=()
    shift 2
    [[ -f $file ]] && resume=(--resume "$file")
    [[ ${LIMIT:-} ]] && resume+=(--time-limit "$LIMIT")
    watari run "$@" --budget "${budget}s" -o "$file" "${resume[@]}" >"$log" 2>&1 || failed=1
}
# As `run`, for a stored plan: groups that match one pattern come first, groups that match another are left out.
run_first() { # name of the result, seconds, plan, first, left out
    awk -v RS= -v ORS='\n\n' -v first="$4" -v out="${5:-^$}" '
        /\[\[case\]\]/ { cases = 1 }
        cases && $0 ~ out { next }
        cases && $0 !~ first { later = later $0 "\n\n"; next }
        { print }
        END { printf "%s", later }' "plans/$3.toml" >"$folder/$1.toml"
    run "$1" "$2" --plan "$folder/$1.toml"
}
# As `run`, for the cases on the standard input.
run_cases() { # name of the result, seconds
    sed "1i name = \"$1\"" >"$folder/$1.toml"
    run "$1" "$2" --plan "$folder/$1.toml"
}
tests_on_a_gpu() { # folders: prints their files with tests on a GPU, without files that need a launcher
    grep -rl --include='test_*.py' 'mark\.gpu' "$@" | xargs grep -L 'mark\.mpi'
}
compile() { # source, program, options of g++
    local libraries=(build/gpu/src/libwatari.a -lcudart_static -lgomp -lhwloc -l:liburing.a -ldl -lrt)
    local cuda=/usr/local/cuda/targets/x86_64-linux
    g++ -O3 -std=c++20 -fopenmp -I. -Isrc -Ibuild/gpu/include -I"$cuda/include" "$1" -L"$cuda/lib" "${libraries[@]}" -o "$2"
}

ranks() { # name of a result, quantities: prints them for each trial, with all digits, for a log
    [[ -f $folder/$1.json ]] || return 0 # `run` says so
    python3 - "$folder/$1.json" "${@:2}" <<'EOF' || failed=1
import json, sys
for case in json.load(open(sys.argv[1]))["cases"]:
    of = " ".join(str(case["parameters"][name]) for name in ("grid", "lattice", "precision", "rhs", "split", "halo", "overlap") if name in case["parameters"])
    for trial in case["trials"]:
        known = {name: trial["quantities"][name]["value"] for name in sys.argv[2:] if name in trial["quantities"]}
        print(of, trial["status"], *(f"{name} {value:.16g}" for name, value in known.items()), (trial.get("error") or "")[:160])
EOF
}
with_nccl() { # adds the NCCL of the Python package; without multicast, which a shared host may not support
    export NCCL_NVLS_ENABLE=${NCCL_NVLS_ENABLE:-0}
    local folder
    folder=$(python3 -c 'import nvidia.nccl as n; print(n.__path__[0] + "/lib")' 2>/dev/null) || return 0
    export LD_LIBRARY_PATH=$folder:${LD_LIBRARY_PATH:-}
}

sanitized() { # tool, file, its tests (pytest -k)
    compute-sanitizer --tool "$1" --error-exitcode 9 python3 -m pytest -q -p no:cacheprovider \
        "$(find tests/python -name "test_$2.py")" -k "$3" >>"$folder/sanitizers.txt" 2>&1 || failed=1
}

case $job in
    hmatrix) run hmatrix 68 hmatrix processor=gpu mesh=bumpy:23,bumpy:71 precision=double,single rhs=1,8 store=ram trials=3 samples=50 ;;
    hmatrix-build) # then the CPU alone, by one thread and by all of the 16
        compile benchmarks/hmatrix_build.cpp build/hmatrix_build && {
            build/hmatrix_build bumpy:71 /dev/shm 16 || exit
            for threads in 1 16; do CUDA_VISIBLE_DEVICES='' build/hmatrix_build bumpy:23 /dev/shm "$threads" 1; done
        } | tee "$folder/hmatrix-build-parts.txt" || failed=1
        ;;
    hmatrix-store) run hmatrix-store 260 --plan gpu-direct-io-hmatrix ;;
    hmatrix-hanawa) # his CPU path is one thread
        run hmatrix-ratio-posix 50 hmatrix processor=gpu mesh=bumpy:35 recompress=no solver=bicgstab preconditioner=none store=ram fast-memory=64MiB,256MiB batch=1MiB,8MiB trials=1 samples=5 engine=posix threads=1
        run hmatrix-ratio-engines 58 hmatrix processor=gpu mesh=bumpy:35 recompress=no solver=bicgstab preconditioner=none store=ram fast-memory=64MiB,256MiB batch=1MiB,8MiB trials=1 samples=5 engine=gpu,uring
        ;;
    hmatrix-disk) run hmatrix-disk 56 hmatrix processor=gpu mesh=bumpy:35 recompress=no fast-memory=64MiB batch=4MiB engine=gpu,uring rhs=1,8 trials=2 samples=5 ;;
    disk-more)
        run storage-write 30 storage direction=write engine=posix,uring,gpu processor=gpu block=4KiB,1MiB trials=2 samples=5
        run storage-order 20 storage engine=uring,gpu processor=gpu pattern=sequential,random block=128KiB trials=2 samples=5
        run storage-files 18 storage engine=uring,gpu processor=gpu files=1,4 block=128KiB trials=2 samples=5
        ;;
    memory-more)
        run storage-modelled 30 storage engine=gpu store=modelled:kioxia-cm6-v,modelled:samsung-pm1743,modelled:ten-million block=512,4KiB trials=2 samples=5
        run numa 20 copy processor=cpu memory=pageable numa=local,0 size=1GiB trials=3 samples=20
        run gemm-double 28 gemm n=16384 precision=single,double store=ram engine=gpu,pinned trials=1
        ;;
    migration-map) # each part of an array, sample by sample; then whether reading the page table slows the samples
        run migration-map 12 migration memory=managed hint=none,prefetch,mapped size=1GiB map=64 samples=10 trials=1
        run migration-look 15 migration memory=managed size=1GiB look=samples,phases samples=20 trials=3
        ;;
    hmatrix-large) # A quarter of an hour, on the first GPU; other GPUs are free. A call starts it, or waits for it: its session outlives a call.
        result=$folder/hmatrix-large.json pid=$folder/hmatrix-large.pid
        runs() { kill -0 "$(cat "$pid" 2>/dev/null)" 2>/dev/null; }
        rate() { run "hmatrix-large-rate-$1" 30 storage engine=uring processor=gpu pattern=sequential block=128KiB threads=2 depth=16 trials=2 samples=5; }
        progress() { # prints the bytes that the trial, a child process, moved to and from the disk
            local run trial trials=()
            run=$(<"$pid")
            read -ra trials <"/proc/$run/task/$run/children" || true
            for trial in "${trials[@]}"; do
                awk -v seconds=$(($(date +%s) - $(stat -c %Y "$pid"))) '/^read_bytes/ { got = $2 }
                    /^write_bytes/ { put = $2 }
                    END { printf "%d s: written %.1f GB, read %.1f GB\n", seconds, put / 1e9, got / 1e9 }' "/proc/$trial/io" || true
            done
        }
        if [[ ! -f $result ]] && ! runs; then
            rm -f "$result"?* # the journal of a run that was killed; its matrix is resumed
            [[ -f $folder/hmatrix-large-rate-before.json ]] || rate before
            # uring: no kernel waits on the GPU, and hardly a core is busy. 64 steps without a restart: each
            # product is 14 s. 10 GB include the solver's vectors and the kernels' lists.
            setsid watari run hmatrix processor=gpu mesh=bumpy:224 recompress=no fast-memory=10GB batch=16MiB engine=uring \
                solver=gmres restart=64 preconditioner=block-jacobi trials=1 samples=1 --time-limit 2h \
                -o "$result" >"$folder/hmatrix-large.txt" 2>&1 &
            echo $! >"$pid"
        fi
        for ((second = 0; ; ++second)); do
            runs || break
            ((second % 30 != 5)) || progress
            sleep 1
        done
        cat "$folder/hmatrix-large.txt"
        if [[ -f $result ]]; then rate after; else failed=1; fi
        ;;
    les) run les 48 les processor=gpu grid=L,XL style=explicit,managed,managed-prefetch cpu-touch=none steps=100 trials=2 ;;
    les-kernels)
        compile benchmarks/les_kernels.cpp build/les_kernels &&
            build/les_kernels gpu 512x512x128 | tee "$folder/les-kernels.txt"
        ;;
    les-machines) run les-machines 70 --plan les-machines ;;
    city-les) # touches and the rates that predict them, in one run; before it, threads that wait busily after a touch
        run city-les-busy 16 les processor=gpu grid=L style=managed cpu-touch=facets,all every=10 steps=101 trials=1
        export OMP_WAIT_POLICY=passive
        run city-les 125 --plan les-touches
        ;;
    lattice) # one GPU; with the libgomp of the styles in directives, if they are from OFFLOAD
        [[ ${OFFLOAD:-} ]] && export LD_LIBRARY_PATH=$OFFLOAD:${LD_LIBRARY_PATH:-}
        run_first lattice 185 nvlink-openacc-qcd 'managed-prefetch|precision|rhs|copy' 'split ='
        ;;
    lattice-step) # EARLIER: a folder with an earlier package, by `pip install --target`
        step() { run "lattice-step-$1" 30 lattice processor=gpu lattice=class2 precision=double,mixed rhs=1,12 trials=1; }
        [[ ${EARLIER:-} ]] && PYTHONPATH=$EARLIER step earlier
        step now
        for turn in earlier now; do ranks "lattice-step-$turn" iterations norm2 flops_per_s loop hop_s; done
        ;;
    beyond-copy) run_first beyond-copy 110 beyond-copy '"(deep|atomic)"' ;;
    himeno) # A trial of XL takes 5 s for 200 iterations, 15 to 25 s for 3000, so three of each take 460 s. Another call resumes.
        [[ ${OFFLOAD:-} ]] && export LD_LIBRARY_PATH=$OFFLOAD:${LD_LIBRARY_PATH:-}
        run_cases himeno-200 95 <<'EOF'
[defaults]
processor = "gpu"
iterations = 200
trials = 3
[[case]]
case = "himeno"
grid = ["XL", "L"]
style = ["explicit-struct", "managed-struct"]
form = "two-kernel"
kernel = "shared"
[[case]]
case = "himeno"
grid = ["XL", "L"]
style = ["acc-data", "acc-managed"]
form = "two-kernel"
[[case]]
case = "himeno"
grid = ["XL", "L"]
style = ["explicit", "managed", "managed-prefetch"]
form = "fused"
kernel = "tuned"
[[case]]
case = "himeno"
grid = "XL"
style = ["explicit", "managed", "managed-prefetch"]
form = "two-kernel"
kernel = "shared"
EOF
        run_cases himeno-3000 100 <<'EOF'
[defaults]
processor = "gpu"
grid = "XL"
iterations = 3000
trials = 3
[[case]]
case = "himeno"
style = ["explicit-struct", "managed-struct"]
form = "two-kernel"
kernel = "shared"
[[case]]
case = "himeno"
style = ["explicit", "managed", "managed-prefetch"]
form = "fused"
kernel = "tuned"
EOF
        ;;
    himeno-init) run himeno 56 himeno processor=gpu grid=XL iterations=200 form=two-kernel kernel=shared style=explicit,explicit-struct,managed,managed-struct,managed-prefetch init=cpu,gpu trials=2 ;;
    pages) # huge pages of the kernel's pool, for the time of the job
        pool=/proc/sys/vm/nr_hugepages
        before=$(<"$pool")
        { echo 1200 >"$pool"; } 2>/dev/null || true
        run pages 8 access processor=gpu memory=managed,explicit size=1GiB page=4KiB,2MiB trials=1 samples=20
        run pages-copy 8 copy processor=cpu memory=pageable size=1GiB page=4KiB,2MiB trials=2 samples=20
        run numa-gpu 5 copy processor=gpu from=pinned to=device numa=gpu trials=1
        { echo "$before" >"$pool"; } 2>/dev/null || true
        ;;
    contention) # small arrays: each process pins its own before it measures
        run contention-gpu 8 copy processor=gpu memory=device means=kernel processes=1,2,4 size=256MiB trials=2 samples=20
        run contention-in 12 copy processor=gpu from=pinned to=device processes=1,2,4 size=256MiB trials=2 samples=20
        run contention-out 12 copy processor=gpu from=device to=pinned processes=1,2,4 size=256MiB trials=2 samples=20
        run contention-managed 12 access processor=gpu memory=managed processes=1,2,4 size=256MiB trials=2 samples=20
        ;;
    floors) # Rates that vary, in turn, on 16 cores or THREADS. Budgets cover a run's expected time, twice its real one.
        threads=${THREADS:-$(($(nproc) < 16 ? $(nproc) : 16))}
        [[ -x build/stream ]] || g++ -O3 -march=native -fopenmp -o build/stream benchmarks/stream_copy.cpp || failed=1
        stream() { # number
            OMP_NUM_THREADS=$threads OMP_PLACES=cores OMP_PROC_BIND=close \
                build/stream $((1 << 30)) 15 triad >"$folder/floor-stream-$1.txt" || failed=1
            run "floor-copy-$1" 12 copy processor=cpu memory=pageable size=1GiB trials=1 samples=15 threads="$threads"
        }
        for round in 1 2; do
            stream "$round"
            run "floor-les-$round" 25 les processor=cpu grid=L cpu-touch=none steps=10 trials=1 threads="$threads"
            stream "$round-2"
            run "floor-lattice-$round" 45 lattice processor=cpu lattice=class2 trials=1 threads="$threads"
        done
        stream 3
        python3 scripts/floors.py "$folder" | tee "$folder/floors.txt"
        ;;
    standard) run standard 195 ;;
    programs)
        MOST=230 tests/attach/gpu/run.sh "$folder/programs" >"$folder/programs.txt" 2>&1 || failed=1
        cat "$folder/programs/summary.txt"
        ;;
    tests)
        log=$folder/tests.txt
        ctest --test-dir build/gpu -R 'gpu|Gpu' -E '_gpu_[248]$' -j 4 --output-on-failure >"$log" 2>&1 || failed=1
        mapfile -t files < <(tests_on_a_gpu tests/python/{krylov,run,memory,machine,cases})
        python3 -m pytest -q -p no:cacheprovider -m gpu -n 4 --dist worksteal "${files[@]}" >>"$log" 2>&1 || failed=1
        grep -hE 'tests passed|passed|failed' "$log" | tail -n 4
        ;;
    ranks-tests) # the most important first; a test that hangs does not take the time of the others
        log=$folder/ranks-tests.txt
        with_nccl
        of_ranks() { # seconds, words of pytest
            timeout -k 3 "$1" python3 -m pytest -q -p no:cacheprovider -m 'gpu and mpi' "${@:2}" >>"$log" 2>&1 || failed=1
        }
        timeout -k 3 25 ctest --test-dir build/gpu -R '_gpu_2$' -E device --output-on-failure >>"$log" 2>&1 || failed=1
        of_ranks 45 cases/les/tests/test_les_ranks.py -k 'not device'
        of_ranks 30 cases/lattice/tests/test_lattice_ranks.py -k 'not device'
        grep -hE 'Passed|Failed|\*\*\*|tests passed|passed|failed' "$log" | tail -n 12
        ;;
    les-ranks) # one GPU beside two, weak scaling first; then the plan without four GPUs and CUDA-aware MPI
        with_nccl
        LIMIT=25s # ends ranks in a deadlock
        run_cases les-ranks-peer 58 <<'EOF'
[defaults]
processor = "gpu"
style = "explicit"
cpu-touch = "none"
steps = 50
trials = 2
[[case]]
case = "les"
grid = "XL"
[[case]]
case = "les"
grid = "1024x2048x128"
split = "1x2x1"
halo = "peer"
[[case]]
case = "les"
grid = "L"
[[case]]
case = "les"
grid = "L"
split = ["1x2x1", "2x1x1"]
halo = "peer"
EOF
        ranks les-ranks-peer fingerprint cells_per_s exchange_share exchange_s
        run_first les-ranks 60 les-ranks '"nccl", "staged"' '2x2x1|"device"'
        ranks les-ranks fingerprint cells_per_s exchange_share exchange_s
        ;;
    lattice-ranks)
        with_nccl
        LIMIT=25s
        run_first lattice-ranks 77 lattice-ranks 'class' '"device"'
        ranks lattice-ranks iterations norm2 flops_per_s hop_s loop
        ;;
    sanitizers)
        sanitized memcheck memory ""
        sanitized racecheck memory "holds_what"
        sanitized memcheck himeno ""
        sanitized memcheck storage "serve_themselves and ram"
        sanitized memcheck gemm_library "planned and gpu-gpu"
        grep -E "ERROR SUMMARY|RACECHECK SUMMARY|passed" "$folder/sanitizers.txt"
        ;;
    fio)
        python3 benchmarks/fio.py --engines uring,gpu --block 128KiB --threads 2 --depth 16 --rounds 3 --seconds 1.5 \
            -o "$folder/fio.json" | tee "$folder/fio.txt"
        ;;
    rivals) python3 benchmarks/rivals.py -o "$folder/rivals.json" >"$folder/rivals.txt" 2>&1 ;;
    array)
        nvcc -O3 -std=c++20 --extended-lambda --expt-relaxed-constexpr -arch=native -Isrc -Ibuild/gpu/include -x cu \
            -c benchmarks/array_rate.cpp -o build/array_rate.o
        nvcc build/array_rate.o build/gpu/src/libwatari.a -lgomp -lhwloc -l:liburing.a -ldl -o build/array_rate
        build/array_rate 3 $(($(nproc) > 2 ? $(nproc) - 2 : 1)) >"$folder/array-rate.txt" 2>&1
        ;;
    resume) python3 scripts/resume.py "$folder" ;;
    *) fail "no job is called '$job'" ;;
esac
exit $failed
