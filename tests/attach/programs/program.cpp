// A program of the driver API, which does what its arguments say, in turn:
//
//     device N    allocates N bytes of GPU memory, fills them, runs a kernel, prints a sum, frees
//     keep N      allocates N bytes, computes there, and keeps them to the end
//     hold N      allocates N bytes and keeps them, unused
//     pitch, async, pool, pinned, managed, virtual     the other allocations, N bytes each
//     share N     hands GPU memory to another process; fails where the driver refuses
//     kind N      prints the results of cuPointerGetAttribute for GPU memory
//     threads N   four threads allocate and free 100 times each
//     fork N, work N    `device N` in a child: forked before CUDA begins; a worker, started anew
//     many N      allocates and frees N times
//     sleep N     sleeps N seconds
//     say WORD    prints it; `pid` is replaced by the number of the process
//     _exit N, crash, kill, exit N      end the program
//
// kept.cpp and rare.cpp have more.
#include <csignal>
#include <cstring>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "actions.hpp"

namespace {

constexpr int managed_attribute = 8, type_attribute = 2;
const char* self;

}  // namespace

void begin() {
    static thread_local bool begun = false;
    if (begun) return;
    begun = true;
    made_context();
}

// Fills memory, adds one on the GPU, prints the sum: 2 for each float.
void compute(device_pointer pointer, std::size_t bytes) {
    std::size_t count = bytes / sizeof(float);
    std::vector<float> host(count, 1.0f);
    void* const function = kernel();
    REQUIRE(cuMemcpyHtoD(pointer, host.data(), bytes));
    void* arguments[] = {&pointer, &count};
    REQUIRE(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    REQUIRE(cuMemcpyDtoH(host.data(), pointer, bytes));
    double sum = 0;
    for (const float value : host) sum += value;
    std::printf("sum %.0f\n", sum);
}

namespace {

void device(std::size_t bytes) {
    device_pointer pointer;
    REQUIRE(cuMemAlloc(&pointer, bytes));
    compute(pointer, bytes);
    REQUIRE(cuMemFree(pointer));
}

void keep(std::size_t bytes) {
    device_pointer pointer;
    REQUIRE(cuMemAlloc(&pointer, bytes));
    compute(pointer, bytes);
}

void hold(std::size_t bytes) {
    device_pointer pointer;
    REQUIRE(cuMemAlloc(&pointer, bytes));
}

void pitch(std::size_t bytes) {
    device_pointer pointer;
    std::size_t row = 0;
    REQUIRE(cuMemAllocPitch(&pointer, &row, bytes, 3, 4));
    compute(pointer, row * 3);
    REQUIRE(cuMemFree(pointer));
}

void ordered(std::size_t bytes) {
    void* const stream = made_stream();
    device_pointer pointer;
    for (int i = 0; i < 3; ++i) {
        REQUIRE(cuMemAllocAsync(&pointer, bytes, stream));
        compute(pointer, bytes);
        REQUIRE(cuMemFreeAsync(pointer, stream));
    }
}

void pool(std::size_t bytes) {
    void* pool;
    REQUIRE(cuMemPoolCreate(&pool, "properties"));
    device_pointer pointer;
    REQUIRE(cuMemAllocFromPoolAsync(&pointer, bytes, pool, nullptr));
    compute(pointer, bytes);
    REQUIRE(cuMemFreeAsync(pointer, nullptr));
}

void pinned(std::size_t bytes) {
    void* pointer;
    REQUIRE(cuMemHostAlloc(&pointer, bytes, 0));
    std::memset(pointer, 1, bytes);
    REQUIRE(cuMemFreeHost(pointer));
}

void managed(std::size_t bytes) {
    device_pointer pointer;
    REQUIRE(cuMemAllocManaged(&pointer, bytes, 1));
    compute(pointer, bytes);
    REQUIRE(cuMemFree(pointer));
}

void virtual_memory(std::size_t bytes) {
    unsigned long long handle;
    REQUIRE(cuMemCreate(&handle, bytes, "properties", 0));
}

void share(std::size_t bytes) {
    device_pointer pointer;
    char handle[64];
    REQUIRE(cuMemAlloc(&pointer, bytes));
    REQUIRE(cuIpcGetMemHandle(handle, pointer));
    REQUIRE(cuMemFree(pointer));
}

void print_kind(std::size_t bytes) {
    device_pointer pointer;
    unsigned type = 0, is_managed = 0;
    REQUIRE(cuMemAlloc(&pointer, bytes));
    const result known = cuPointerGetAttribute(&type, type_attribute, pointer);
    cuPointerGetAttribute(&is_managed, managed_attribute, pointer);
    std::printf("kind %d type %u managed %u\n", known, type, is_managed);
    REQUIRE(cuMemFree(pointer));
}

void many(std::size_t count) {
    device_pointer pointer;
    for (std::size_t i = 0; i < count; ++i) {
        REQUIRE(cuMemAlloc(&pointer, 4096));
        REQUIRE(cuMemFree(pointer));
    }
}

void in_threads(std::size_t) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([] {
            begin();
            many(100);
        });
    for (std::thread& one : threads) one.join();
}

void in_child(std::size_t bytes) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        begin();
        device(bytes);
        std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) std::exit(4);
}

// As Python starts workers, with an LD_PRELOAD of its own.
void in_worker(std::size_t bytes) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        setenv("LD_PRELOAD", "", 1);
        execl(self, self, "device", std::to_string(bytes).c_str(), static_cast<char*>(nullptr));
        _exit(5);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) std::exit(4);
}

constexpr action actions[] = {
    {"device", device},
    {"keep", keep},
    {"hold", hold},
    {"pitch", pitch},
    {"async", ordered},
    {"pool", pool},
    {"pinned", pinned},
    {"managed", managed},
    {"virtual", virtual_memory},
    {"share", share},
    {"kind", print_kind},
    {"many", many},
    {"threads", in_threads},
    {"fork", in_child, false},
    {"work", in_worker, false},
    {"sleep", [](std::size_t seconds) { sleep(static_cast<unsigned>(seconds)); }, false},
    {"_exit",
     [](std::size_t code) {
         std::fflush(stdout);
         _exit(static_cast<int>(code));
     },
     false},
    {"exit", [](std::size_t code) { std::exit(static_cast<int>(code)); }, false},
    {"crash", [](std::size_t) { std::abort(); }, false},
    {"kill", [](std::size_t) { std::raise(SIGKILL); }, false},
};

const action* find(const char* name) {
    for (const auto& table : {std::span<const action>(actions), kept_actions, rare_actions})
        for (const action& row : table)
            if (std::strcmp(row.name, name) == 0) return &row;
    return nullptr;
}

}  // namespace

int main(int count, char** words) {
    self = words[0];
    load_driver();
    for (int i = 1; i + 1 < count; i += 2) {
        if (std::strcmp(words[i], "say") == 0) {
            if (std::strcmp(words[i + 1], "pid") == 0)
                std::printf("%d\n", getpid());
            else
                std::puts(words[i + 1]);
            continue;
        }
        const action* row = find(words[i]);
        if (!row) return 8;
        if (row->uses_cuda) begin();
        row->run(std::strtoull(words[i + 1], nullptr, 10));
    }
}
