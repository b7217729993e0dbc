// Actions of few programs, some of them wrong:
//
//     reset N, release N, destroy N    end the context between allocations of N bytes
//     streams N      a new stream gets the handle of one that was destroyed
//     capture N      allocates while another stream is captured
//     beside N       frees more blocks on a stream than are kept, while another is captured
//     range N, export N, exports N, multicast N, rdma N    hand GPU memory to others
//     trim N         trims a pool beyond which nothing is freed
//     wrong N        no bytes, too many, a null pointer, memory that was freed
//     crowd N        N threads allocate, compute and free
//     hints N        gives hints for managed memory of N bytes, and prints them after some launches
//     files N        limits the program to N open files from now on
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include <sys/resource.h>

#include "actions.hpp"

namespace {

char handle[64];

device_pointer ordered(std::size_t bytes, void* stream) {
    device_pointer pointer;
    REQUIRE(cuMemAllocAsync(&pointer, bytes, stream));
    return pointer;
}

// One allocation is in use, another one freed on a stream; both go with the context.
void* fill_context(std::size_t bytes) {
    void* context;
    REQUIRE(cuDevicePrimaryCtxRetain(&context, 0));
    REQUIRE(cuCtxSetCurrent(context));
    compute(allocated(bytes), bytes);
    REQUIRE(cuMemFreeAsync(ordered(bytes, nullptr), nullptr));
    return context;
}

template <class End>
void end_between(std::size_t bytes, End end) {
    for (int i = 0; i < 3; ++i) end(fill_context(bytes));
    fill_context(bytes);
    const device_pointer pointer = ordered(bytes, nullptr);
    compute(pointer, bytes);
    REQUIRE(cuMemFree(pointer));
}

void streams(std::size_t bytes) {
    void* const first = made_stream();
    const device_pointer before = ordered(bytes, first);
    REQUIRE(cuMemFreeAsync(before, first));
    REQUIRE(cuStreamDestroy(first));
    void* const second = made_stream();
    if (first != second) std::exit(6);
    const device_pointer after = ordered(bytes, second);
    std::puts(before == after ? "still used by the first" : "other memory");
}

// Memory that is freed while a stream is captured is used by the graph later.
void capture(std::size_t bytes) {
    void *const captured = made_stream(non_blocking), *const other = made_stream(), *graph;
    const device_pointer before = ordered(bytes, captured);
    REQUIRE(cuStreamBeginCapture(captured, 0));
    const device_pointer beside = ordered(bytes, other);
    compute(beside, bytes);
    const device_pointer node = ordered(bytes, captured);
    REQUIRE(cuMemFreeAsync(node, captured));
    if (cuMemFreeAsync(before, captured) != 0) std::exit(7);
    REQUIRE(cuMemFreeAsync(beside, other));
    REQUIRE(cuStreamEndCapture(captured, &graph));
    const device_pointer after = ordered(bytes, captured);
    std::puts(before == after ? "still used by the graph" : "other memory");
}

void beside(std::size_t bytes) {
    void *const captured = made_stream(), *const other = made_stream(), *graph;
    REQUIRE(cuStreamBeginCapture(captured, 0));
    for (std::size_t i = 1; i <= 100; ++i)
        REQUIRE(cuMemFreeAsync(ordered(i * bytes, other), other));
    REQUIRE(cuStreamEndCapture(captured, &graph));
    for (std::size_t i = 1; i <= 100; ++i)
        REQUIRE(cuMemFreeAsync(ordered(i * bytes, other), other));
}

void range(std::size_t bytes) {
    REQUIRE(cuMemGetHandleForAddressRange(handle, allocated(bytes), bytes, 1, 0));
}

void pointer_of_pool(std::size_t bytes) {
    REQUIRE(cuMemPoolExportPointer(handle, ordered(bytes, nullptr)));
}

// Exports a whole pool: its present and its later allocations.
void whole_pool(std::size_t bytes) {
    void* pool;
    device_pointer pointer;
    REQUIRE(cuMemPoolCreate(&pool, "properties"));
    REQUIRE(cuMemAllocFromPoolAsync(&pointer, bytes, pool, nullptr));
    REQUIRE(cuMemPoolExportToShareableHandle(handle, pool, 1, 0));
    REQUIRE(cuMemAllocFromPoolAsync(&pointer, bytes, pool, nullptr));
}

void multicast(std::size_t bytes) {
    REQUIRE(cuMulticastBindAddr(1, 0, allocated(bytes), bytes, 0));
}

void rdma(std::size_t bytes) {
    constexpr int sync_memops = 6;
    const unsigned on = 1;
    REQUIRE(cuPointerSetAttribute(&on, sync_memops, allocated(bytes)));
}

void trim(std::size_t bytes) {
    void* pool;
    REQUIRE(cuMemPoolCreate(&pool, "properties"));
    for (int i = 0; i < 100; ++i) {
        device_pointer pointer;
        REQUIRE(cuMemAllocFromPoolAsync(&pointer, bytes + 512 * i, pool, nullptr));
        REQUIRE(cuMemFreeAsync(pointer, nullptr));
        REQUIRE(cuMemPoolTrimTo(pool, 0));
    }
}

void wrong(std::size_t bytes) {
    constexpr std::size_t gib = std::size_t{1} << 30;
    device_pointer pointer = 0;
    std::printf("no bytes %d\n", cuMemAlloc(&pointer, 0));
    std::printf("no pointer %d\n", cuMemAlloc(nullptr, bytes));
    std::printf("null %d %d\n", cuMemFree(0), cuMemFreeAsync(0, nullptr));
    std::printf("too many %d\n", cuMemAlloc(&pointer, ~std::size_t{0} - 4096));
    std::printf("large %d\n", cuMemAlloc(&pointer, 5 * gib));
    std::printf("freed %d\n", cuMemFree(pointer));
    std::printf("again %d\n", cuMemFree(pointer) != 0);
    pointer = ordered(bytes, nullptr);
    std::printf("inside %d\n", cuMemFree(pointer + 8) != 0);
    std::printf("freed %d\n", cuMemFreeAsync(pointer, nullptr));
    std::printf("again %d\n", cuMemFree(pointer) != 0);
}

void crowd(std::size_t count) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < count; ++i)
        threads.emplace_back([i] {
            begin();
            const std::size_t bytes = 4096 * (i + 1);
            for (int round = 0; round < 10; ++round) {
                const device_pointer now = allocated(bytes), later = ordered(bytes, nullptr);
                std::memset(reinterpret_cast<void*>(now), static_cast<int>(i), bytes);
                REQUIRE(cuMemFreeAsync(later, nullptr));
                if (*reinterpret_cast<unsigned char*>(now + bytes - 1) != i % 256) std::exit(6);
                REQUIRE(cuMemFree(now));
            }
        });
    for (std::thread& one : threads) one.join();
}

void files(std::size_t count) {
    rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) std::exit(6);
    limit.rlim_cur = count;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) std::exit(6);
}

void hints(std::size_t bytes) {
    constexpr int cpu = -1, set_preferred = 3, set_accessed = 5;
    device_pointer pointer;
    REQUIRE(cuMemAllocManaged(&pointer, bytes, 1));
    REQUIRE(cuMemAdvise(pointer, bytes, set_preferred, cpu));
    REQUIRE(cuMemAdvise(pointer, bytes, set_accessed, 0));
    for (int launch = 0; launch < 7; ++launch) {
        compute(pointer, bytes);
        int read_mostly = 0, preferred = 0, accessed = 0;
        REQUIRE(cuMemRangeGetAttribute(&read_mostly, sizeof(int), 1, pointer, bytes));
        REQUIRE(cuMemRangeGetAttribute(&preferred, sizeof(int), 2, pointer, bytes));
        REQUIRE(cuMemRangeGetAttribute(&accessed, sizeof(int), 3, pointer, bytes));
        if (launch % 5 % 4 > 0)
            std::printf("preferred %d read-mostly %d accessed %d\n", preferred, read_mostly,
                        accessed);
    }
    REQUIRE(cuMemFree(pointer));
}

constexpr action actions[] = {
    {"reset",
     [](std::size_t n) { end_between(n, [](void*) { REQUIRE(cuDevicePrimaryCtxReset(0)); }); }},
    {"release",
     [](std::size_t n) {
         REQUIRE(cuDevicePrimaryCtxRelease(0));  // the reference of `begin`
         end_between(n, [](void*) { REQUIRE(cuDevicePrimaryCtxRelease(0)); });
     }},
    {"destroy",
     [](std::size_t n) { end_between(n, [](void* made) { REQUIRE(cuCtxDestroy(made)); }); }},
    {"streams", streams},
    {"capture", capture},
    {"beside", beside},
    {"range", range},
    {"export", pointer_of_pool},
    {"exports", whole_pool},
    {"multicast", multicast},
    {"rdma", rdma},
    {"trim", trim},
    {"wrong", wrong},
    {"crowd", crowd},
    {"hints", hints},
    {"files", files, false},
};

}  // namespace

const std::span<const action> rare_actions = actions;
