#!/usr/bin/env bash
# The jobs of gpu.sh: gpu_jobs.sh JOB FOLDER runs one, and leaves its results in FOLDER. Without words it prints
# the table: the job, the seconds after which gpu.sh ends it, the call that it belongs to, and what its results
# replace in docs/. Seconds are those of earlier results on an H200 with 16 cores, and a little more.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

table() {
    cat <<'EOF'
hmatrix        72 1 evidence/hmatrix.md, "On an H200": products, one and 8 right-hand sides
hmatrix-build  57 1 evidence/hmatrix.md, "Construction"
les            52 1 evidence/les.md, "On an H200": cells a second; les.md, conclusions
lattice       190 1 evidence/lattice-qcd.md, "Results", "Directives", "Targets"
tests         150 1 evidence/hmatrix.md, "Verification"; les.md, "Limits"
programs      200 2 try.md, "Evidence": cuBLAS, alternating processors, PyTorch; advise.md: --confirm
beyond-copy   115 2 evidence/memory-paths.md, elements and counters on an H200: trees; studies.md
himeno         60 2 evidence/himeno.md, "Speed of each style": structs, init=gpu; studies.md
pages          22 2 memory-paths.md, "Size of pages"; studies.md: page=2MiB, numa=gpu
contention     45 2 evidence/advise.md: several processes on one link
les-kernels    25 2 evidence/les.md, "On an H200": what each kernel reaches
les-machines   75 2 evidence/les.md, "Predictions": GPU and CPU; studies.md, City-LES
city-les      150 3 evidence/les.md, touches and "Predictions"; les.md, conclusions
hmatrix-store 265 3 evidence/hmatrix.md: products that read; studies.md, H-matrix of 42 GB
floors         95 3 evidence/les.md, evidence/lattice-qcd.md, "On CPUs": 16 cores beside their memory
fio            45 3 evidence/hmatrix.md: the disk beside fio, at the reader's block
hmatrix-hanawa 110 4 evidence/hmatrix.md, products that read: Hanawa's 1.31 and 1.71; studies.md
hmatrix-disk   60 4 evidence/hmatrix.md: 8 right-hand sides and the disk's rate, out of core
disk-more      70 4 evidence/storage.md: writes, sequential reads, several files
memory-more    80 4 evidence/storage.md: modelled SSDs; memory-paths.md: numa; evidence/gemm.md: double
gh200-ten     330 5 evidence/memory-paths.md: the link and the CPU by ten trials
hmatrix-large 540 - evidence/hmatrix.md: 40 GB from a disk; it runs on between calls
standard      200 - machines.md: this machine beside another; evidence/advise.md
sanitizers    300 - evidence/memory-paths.md, checks
rivals        120 - evidence/memory-paths.md, "Against other programs on this machine"
array          60 - evidence/storage.md, the cache of array<T>
resume         60 - reliability.md: kill and resume
EOF
}
[[ $# -gt 0 ]] || { table && exit; }

job=$1 folder=$(realpath -ms "$2")
mkdir -p "$folder"
trap 'exit 130' INT # the run that is ended writes what it has; none follows
failed=0

run() { # name of the result, seconds, words of `watari run`
    local file=$folder/$1.json log=$folder/$1.txt budget=$2 resume=()
    shift 2
    [[ -f $file ]] && resume=(--resume "$file")
    watari run "$@" --budget "${budget}s" -o "$file" "${resume[@]}" >"$log" 2>&1 || failed=1
}
# As `run`, of a stored plan: groups that match a pattern come first, those that match another one are left out.
run_first() { # name of the result, seconds, plan, first, left out
    awk -v RS= -v ORS='\n\n' -v first="$4" -v out="${5:-^$}" '
        /\[\[case\]\]/ { cases = 1 }
        cases && $0 ~ out { next }
        cases && $0 !~ first { later = later $0 "\n\n"; next }
        { print }
        END { printf "%s", later }' "plans/$3.toml" >"$folder/$1.toml"
    run "$1" "$2" --plan "$folder/$1.toml"
}
tests_on_a_gpu() { # folders: the files that have some, without those that need a launcher
    grep -rl --include='test_*.py' 'mark\.gpu' "$@" | xargs grep -L 'mark\.mpi'
}
compile() { # source, program, options of g++
    local libraries=(build/gpu/src/libwatari.a -lcudart_static -lgomp -lhwloc -l:liburing.a -ldl -lrt)
    local cuda=/usr/local/cuda/targets/x86_64-linux
    g++ -O3 -std=c++20 -fopenmp -Isrc -Ibuild/gpu/include -I"$cuda/include" "$1" -L"$cuda/lib" "${libraries[@]}" -o "$2"
}

sanitized() { # tool, file, which tests of it
    compute-sanitizer --tool "$1" --error-exitcode 9 python3 -m pytest -q -p no:cacheprovider \
        "$(find tests/python -name "test_$2.py")" -k "$3" >>"$folder/sanitizers.txt" 2>&1 || failed=1
}

case $job in
    hmatrix) run hmatrix 68 hmatrix processor=gpu mesh=bumpy:23,bumpy:71 precision=double,single rhs=1,8 store=ram trials=3 samples=50 ;;
    hmatrix-build) run hmatrix-build 53 hmatrix processor=cpu,gpu mesh=bumpy:71 precision=double,single engine=posix store=ram trials=3 samples=1 ;;
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
    gh200-ten) # rows of the plan gh200-sam that had one or two trials; 20 samples in place of 200
        run gh200-out 40 copy processor=gpu from=device to=pinned size=4GB,8GB trials=10 samples=20
        run gh200-cpu 50 copy processor=cpu memory=pinned size=4GB,8GB trials=10 samples=20
        run gh200-in 40 copy processor=gpu from=pinned to=device size=4GB,8GB trials=10 samples=20
        run gh200-access-cpu 110 access processor=cpu memory=managed,explicit source=cpu,gpu destination=cpu,gpu size=4GB trials=10 samples=20
        run gh200-access-gpu 85 access processor=gpu memory=explicit,managed source=cpu,gpu destination=cpu,gpu size=4GB trials=10 samples=20
        ;;
    hmatrix-large) # Minutes, and alone: 30 GB a product, and its kernels wait on the GPU. A session of its own keeps it alive when a call ends.
        pid=$folder/hmatrix-large.pid
        if [[ ! -f $pid ]]; then
            setsid watari run hmatrix processor=gpu mesh=bumpy:224 recompress=no fast-memory=10GB batch=16MiB \
                solver=gmres preconditioner=block-jacobi trials=1 samples=1 --time-limit 2h \
                -o "$folder/hmatrix-large.json" >"$folder/hmatrix-large.txt" 2>&1 &
            echo $! >"$pid"
        fi
        while kill -0 "$(<"$pid")" 2>/dev/null; do sleep 1; done
        [[ -f $folder/hmatrix-large.json ]]
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
    lattice) # one GPU; with the libgomp of the styles in directives, where they came from elsewhere
        [[ ${OFFLOAD:-} ]] && export LD_LIBRARY_PATH=$OFFLOAD:${LD_LIBRARY_PATH:-}
        run_first lattice 185 nvlink-openacc-qcd 'managed-prefetch|precision|rhs|copy' 'split ='
        ;;
    beyond-copy) run_first beyond-copy 110 beyond-copy '"(deep|atomic)"' ;;
    himeno) run himeno 56 himeno processor=gpu grid=XL iterations=200 form=two-kernel kernel=shared style=explicit,explicit-struct,managed,managed-struct,managed-prefetch init=cpu,gpu trials=2 ;;
    pages) # huge pages of the kernel's pool, for as long as it takes
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
    floors)
        run floor-copy 20 copy processor=cpu memory=pageable size=1GiB page=4KiB,2MiB trials=3 samples=20
        run floor-lattice 42 lattice processor=cpu lattice=class2 trials=2
        run floor-les 30 les processor=cpu grid=L cpu-touch=none steps=20 trials=2
        ;;
    standard) run standard 195 ;;
    programs)
        MOST=180 tests/attach/gpu/run.sh "$folder/programs" >"$folder/programs.txt" 2>&1 || failed=1
        grep -E '^==|s as it is, ' "$folder/programs.txt"
        ;;
    tests)
        log=$folder/tests.txt
        ctest --test-dir build/gpu -R 'gpu|Gpu' -E '_gpu_[248]$' -j 4 --output-on-failure >"$log" 2>&1 || failed=1
        mapfile -t files < <(tests_on_a_gpu tests/python/{krylov,run,memory,machine,cases})
        python3 -m pytest -q -p no:cacheprovider -m gpu -n 4 --dist worksteal "${files[@]}" >>"$log" 2>&1 || failed=1
        grep -hE 'tests passed|passed|failed' "$log" | tail -n 4
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
