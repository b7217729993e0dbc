# shellcheck shell=bash disable=SC2034,SC2154
# The jobs of case hmatrix on a GPU machine, for scripts/gpu_jobs.sh.

# job hmatrix 72 1 cases/hmatrix/EVIDENCE.md, "On an H200": products, one and 8 right-hand sides
job_hmatrix() {
    run hmatrix 68 hmatrix processor=gpu mesh=bumpy:23,bumpy:71 precision=double,single rhs=1,8 store=ram trials=3 samples=50
}

# job hmatrix-build 40 1 cases/hmatrix/EVIDENCE.md, "Construction": builds, and the times of their parts
# then the CPU alone, by one thread and by all of the 16
job_hmatrix-build() {
    compile cases/hmatrix/benchmarks/build.cpp build/hmatrix_build && {
        build/hmatrix_build bumpy:71 /dev/shm 16 || exit
        for threads in 1 16; do CUDA_VISIBLE_DEVICES='' build/hmatrix_build bumpy:23 /dev/shm "$threads" 1; done
    } | tee "$folder/hmatrix-build-parts.txt" || failed=1
}

# job hmatrix-store 265 3 cases/hmatrix/EVIDENCE.md: products that read; studies.md, H-matrix of 42 GB
job_hmatrix-store() {
    run hmatrix-store 260 --plan gpu-direct-io-hmatrix
}

# job hmatrix-ratio 110 4 cases/hmatrix/EVIDENCE.md, products that read: Hanawa's 1.31 and 1.71, from memory; studies.md
# one thread of posix is our reading of his CPU path
job_hmatrix-ratio() {
    run hmatrix-ratio-posix 50 hmatrix processor=gpu mesh=bumpy:35 recompress=no solver=bicgstab preconditioner=none store=ram fast-memory=64MiB,256MiB batch=1MiB,8MiB trials=1 samples=5 engine=posix threads=1
    run hmatrix-ratio-engines 58 hmatrix processor=gpu mesh=bumpy:35 recompress=no solver=bicgstab preconditioner=none store=ram fast-memory=64MiB,256MiB batch=1MiB,8MiB trials=1 samples=5 engine=gpu,uring
}

# job hmatrix-hanawa 200 7 cases/hmatrix/README.md, "In the conditions of Hanawa (2025)": an iteration from a disk, pinned or not; studies.md
# 4 GB, which the first trial builds. A trial has 9 products: one is verified, one is a sample, 7 are those of three iterations
job_hmatrix-hanawa() {
    run hmatrix-hanawa 76 hmatrix processor=gpu mesh=bumpy:82 recompress=no solver=bicgstab preconditioner=none \
        steps=3 fast-memory=2GB batch=16MiB pinned=no,yes engine=gpu,uring trials=1 samples=1
    run hmatrix-hanawa-posix 92 hmatrix processor=gpu mesh=bumpy:82 recompress=no solver=bicgstab preconditioner=none \
        steps=3 fast-memory=2GB batch=16MiB pinned=no,yes engine=posix threads=1,16 trials=1 samples=1
    run hmatrix-convergence 28 hmatrix processor=gpu mesh=bumpy:82 recompress=no solver=bicgstab preconditioner=none \
        fast-memory=3.6GB batch=16MiB engine=gpu trials=1 samples=1
}

# job hmatrix-hanawa-large 560 - cases/hmatrix/README.md, "In the conditions of Hanawa (2025)": the same at 40 GB; again: the missing trials
# The disk needs 44 GB. Without pinned batches 9 products read 361 GB; construction takes a minute before the first trial
job_hmatrix-hanawa-large() {
    run hmatrix-hanawa-large 555 hmatrix processor=gpu mesh=bumpy:224 recompress=no solver=bicgstab preconditioner=none \
        steps=3 fast-memory=20GB batch=16MiB pinned=yes,no engine=gpu,posix,uring trials=1 samples=1
}

# job hmatrix-small-batches 240 7 cases/hmatrix/README.md, "In the conditions of Hanawa (2025)": 1 to 64 KiB, several right-hand sides, inner iterations
# In order of importance. "Waiting for data" beside "computing" of an iteration is the part of the reads that nothing hides
job_hmatrix-small-batches() {
    run hmatrix-small 90 hmatrix processor=gpu mesh=bumpy:16 recompress=no solver=bicgstab preconditioner=none \
        steps=3 pinned=no batch=1KiB,4KiB,16KiB,64KiB engine=gpu,uring trials=1 samples=1
    run hmatrix-small-ssd 45 hmatrix processor=gpu mesh=bumpy:16 recompress=no solver=bicgstab preconditioner=none \
        steps=3 pinned=no batch=1KiB,4KiB,16KiB,64KiB engine=gpu store=modelled:ten-million trials=1 samples=1
    run hmatrix-small-sides 66 hmatrix processor=gpu mesh=bumpy:16 pinned=no batch=16KiB engine=gpu rhs=1,8 trials=1 samples=3
    run hmatrix-small-inner 30 hmatrix processor=gpu mesh=bumpy:16 solver=fgmres fast-memory=56MB batch=64KiB engine=gpu inner=0,5 trials=1 samples=1
}

# job hmatrix-modelled 60 - cases/hmatrix/README.md, "In the conditions of Hanawa (2025)": an iteration from his SSD, through the CPU beside GPU threads; studies.md
# 1.31 and 1.71 are iteration_s and iteration_read_s of posix over those of gpu
job_hmatrix-modelled() {
    run hmatrix-modelled 34 hmatrix processor=gpu mesh=bumpy:35 recompress=no solver=bicgstab preconditioner=none \
        steps=3 fast-memory=512MiB batch=16MiB pinned=yes,no engine=gpu,uring store=modelled:kioxia-cm6-v trials=1 samples=1
    run hmatrix-modelled-posix 24 hmatrix processor=gpu mesh=bumpy:35 recompress=no solver=bicgstab preconditioner=none \
        steps=3 fast-memory=512MiB batch=16MiB pinned=yes,no engine=posix threads=1,16 store=modelled:kioxia-cm6-v trials=1 samples=1
}

# job hmatrix-disk 60 4 cases/hmatrix/EVIDENCE.md: 8 right-hand sides and the disk's rate, out of core
job_hmatrix-disk() {
    run hmatrix-disk 56 hmatrix processor=gpu mesh=bumpy:35 recompress=no fast-memory=64MiB batch=4MiB engine=gpu,uring rhs=1,8 trials=2 samples=5
}

# job hmatrix-large 540 - cases/hmatrix/EVIDENCE.md: 40 GB from a disk; it runs on between calls, on the first GPU
# A quarter of an hour, on the first GPU; other GPUs are free. A call starts it, or waits for it: its session outlives a call.
job_hmatrix-large() {
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
}

alternated_hmatrix() { # its group of job alternated
    cat <<'EOF'
[[case]]
case = "hmatrix"
mesh = "bumpy:71"
rhs = 8
samples = 20
EOF
}
