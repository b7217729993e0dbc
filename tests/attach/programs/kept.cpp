// Actions of programs that free memory and allocate it again. What they print does not depend on
// addresses: it is the same whether a library keeps freed memory or not.
//
//     again N     ten times: allocates N bytes, computes there, frees
//     mixed N     N random allocations and releases of a few sizes; no two share a byte
//     storm N     N threads allocate, free and ask at random
//     info N      prints whether freed memory counts as free
//     freed N     prints the driver's answers about freed memory, and about memory in use
//     short N     frees N bytes, then needs more than all the other memory
//     shared N    hands GPU memory to another process, frees it, allocates as much
//     captured N  frees and allocates while a stream is captured, relaxed
//     ended N     frees N bytes; their context ends, and another one begins
//     ordered N   frees memory of cuMemAlloc on a stream, twice
//     crossed N   allocates on one GPU, frees while another one is current
//     written N   launches a kernel twice before the CPU writes N managed bytes, and once after
//     waited N    frees N bytes while a kernel runs; prints whether the kernel had ended
#include <algorithm>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "actions.hpp"

namespace {

void again(std::size_t bytes) {
    for (int i = 0; i < 10; ++i) {
        const device_pointer pointer = allocated(bytes);
        compute(pointer, bytes);
        REQUIRE(cuMemFree(pointer));
    }
}

struct held {
    unsigned char* memory;
    std::size_t bytes;
    unsigned char value;

    bool is_intact() const {
        return std::all_of(memory, memory + bytes, [&](unsigned char v) { return v == value; });
    }
};

void mixed(std::size_t count) {
    std::mt19937 random(7);
    std::vector<held> alive;
    for (std::size_t i = 0; i < count; ++i) {
        if (alive.size() < 20 && random() % 2) {
            const std::size_t bytes = 4096 << random() % 4;
            const auto value = static_cast<unsigned char>(i);
            auto* memory = reinterpret_cast<unsigned char*>(allocated(bytes));
            std::memset(memory, value, bytes);
            alive.push_back({memory, bytes, value});
        } else if (!alive.empty()) {
            const auto at = alive.begin() + static_cast<long>(random() % alive.size());
            if (!at->is_intact()) std::exit(6);
            REQUIRE(cuMemFree(reinterpret_cast<device_pointer>(at->memory)));
            alive.erase(at);
        }
    }
}

// Random calls of a thread; what it frees, another one may get.
void storm_of(unsigned seed) {
    begin();
    std::mt19937 random(seed);
    std::vector<held> alive;
    std::size_t free, total;
    unsigned type;
    for (int i = 0; i < 400; ++i) {
        const unsigned choice = random() % 32;
        if (choice == 0) {
            REQUIRE(cuMemGetInfo(&free, &total));
        } else if (choice == 1) {
            cuPointerGetAttribute(&type, 2, random());
        } else if (choice < 18 && alive.size() < 8) {
            const std::size_t bytes = 4096 << random() % 3;
            auto* memory = reinterpret_cast<unsigned char*>(allocated(bytes));
            std::memset(memory, static_cast<int>(seed), bytes);
            alive.push_back({memory, bytes, static_cast<unsigned char>(seed)});
        } else if (!alive.empty()) {
            if (!alive.back().is_intact()) std::exit(6);
            REQUIRE(cuMemFree(reinterpret_cast<device_pointer>(alive.back().memory)));
            alive.pop_back();
        }
    }
}

void storm(std::size_t count) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; ++i) threads.emplace_back(storm_of, i);
    for (std::thread& one : threads) one.join();
}

std::size_t free_bytes() {
    std::size_t free, total;
    REQUIRE(cuMemGetInfo(&free, &total));
    return free;
}

void info(std::size_t bytes) {
    const std::size_t before = free_bytes();
    const device_pointer pointer = allocated(bytes);
    const std::size_t with = free_bytes();
    REQUIRE(cuMemFree(pointer));
    std::printf("used %zu, free again %d\n", before - with, before == free_bytes());
}

void answers(device_pointer pointer, std::size_t bytes) {
    unsigned type = 0;
    int which = 2;
    void* values[] = {&type};
    device_pointer base = 0;
    std::size_t size = 0;
    std::printf("attribute %d", cuPointerGetAttribute(&type, 2, pointer));
    std::printf(" attributes %d", cuPointerGetAttributes(1, &which, values, pointer));
    std::printf(" type %u", type);
    std::printf(" range %d", cuMemGetAddressRange(&base, &size, pointer + bytes / 2));
    std::printf(" bytes %zu\n", size);
}

void freed(std::size_t bytes) {
    const device_pointer pointer = allocated(bytes);
    answers(pointer, bytes);
    REQUIRE(cuMemFree(pointer));
    answers(pointer, bytes);
    std::printf("again %d\n", cuMemFree(pointer));
    const device_pointer other = allocated(bytes);
    REQUIRE(cuMemFree(other));
    std::printf("twice %d inside %d\n", cuMemFree(other), cuMemFree(other + 8));
}

void short_of(std::size_t bytes) {
    const device_pointer pointer = allocated(bytes);
    REQUIRE(cuMemFree(pointer));
    std::size_t free, total;
    REQUIRE(cuMemGetInfo(&free, &total));
    const device_pointer other = allocated(bytes);
    REQUIRE(cuMemFree(other));
    device_pointer all;
    std::printf("all of it %d\n", cuMemAlloc(&all, free));
    std::printf("more %d\n", cuMemAlloc(&all, bytes));
}

void shared(std::size_t bytes) {
    char handle[64];
    const device_pointer pointer = allocated(bytes);
    REQUIRE(cuIpcGetMemHandle(handle, pointer));
    REQUIRE(cuMemFree(pointer));
    REQUIRE(cuMemFree(allocated(bytes)));
}

void captured(std::size_t bytes) {
    void *const stream = made_stream(), *graph;
    int mode = 2;  // relaxed
    const device_pointer before = allocated(bytes), during = allocated(bytes);
    REQUIRE(cuMemFree(before));
    REQUIRE(cuThreadExchangeStreamCaptureMode(&mode));
    REQUIRE(cuStreamBeginCapture(stream, 2));
    std::printf("freed %d\n", cuMemFree(during));
    const device_pointer after = allocated(bytes);
    std::printf("freed %d\n", cuMemFree(after));
    std::printf("ended %d\n", cuStreamEndCapture(stream, &graph));
}

void ended(std::size_t bytes) {
    void* context;
    const device_pointer kept = allocated(bytes);
    REQUIRE(cuMemFree(allocated(bytes)));
    REQUIRE(cuDevicePrimaryCtxReset(0));
    std::printf("gone %d\n", cuMemFree(kept));
    REQUIRE(cuDevicePrimaryCtxRetain(&context, 0));
    REQUIRE(cuCtxSetCurrent(context));
    const device_pointer pointer = allocated(bytes);
    compute(pointer, bytes);
    REQUIRE(cuMemFree(pointer));
}

void ordered(std::size_t bytes) {
    void* const stream = made_stream();
    const device_pointer first = allocated(bytes), second = allocated(bytes);
    REQUIRE(cuMemFreeAsync(first, stream));
    REQUIRE(cuMemFree(second));
    std::printf("again %d\n", cuMemFreeAsync(second, stream));
    REQUIRE(cuMemFree(allocated(bytes)));
}

void crossed(std::size_t bytes) {
    void *first, *second;
    const device_pointer pointer = allocated(bytes);
    REQUIRE(cuDevicePrimaryCtxRetain(&first, 0));
    REQUIRE(cuDevicePrimaryCtxRetain(&second, 1));
    REQUIRE(cuMemFree(allocated(bytes)));
    REQUIRE(cuCtxSetCurrent(second));
    REQUIRE(cuMemFree(pointer));
    const device_pointer here = allocated(bytes);
    compute(here, bytes);
    REQUIRE(cuMemFree(here));
    REQUIRE(cuCtxSetCurrent(first));
    REQUIRE(cuMemFree(allocated(bytes)));
}

void waited(std::size_t bytes) {
    void *const function = kernel(), *const stream = made_stream(non_blocking), *event;
    std::size_t count = 1;
    const device_pointer pointer = allocated(bytes), other = allocated(bytes);
    void* arguments[] = {const_cast<device_pointer*>(&other), &count};
    REQUIRE(cuEventCreate(&event, 0));
    REQUIRE(cuLaunchKernel(function, 100, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
    REQUIRE(cuEventRecord(event, stream));
    const bool was_running = cuEventQuery(event) != 0;
    REQUIRE(cuMemFree(pointer));
    std::printf("ran %d, had ended %d\n", was_running, cuEventQuery(event) == 0);
}

void written(std::size_t bytes) {
    void* const function = kernel();
    device_pointer pointer;
    std::size_t none = 0;
    void* arguments[] = {&pointer, &none};
    REQUIRE(cuMemAllocManaged(&pointer, bytes, 1));
    const auto launch = [&] {
        REQUIRE(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
        REQUIRE(cuCtxSynchronize());
    };
    launch();
    launch();
    std::memset(reinterpret_cast<void*>(pointer), 1, bytes);
    launch();
    REQUIRE(cuMemFree(pointer));
}

constexpr action actions[] = {
    {"again", again},       {"mixed", mixed},     {"storm", storm},     {"info", info},
    {"freed", freed},       {"short", short_of},  {"shared", shared},   {"ended", ended},
    {"captured", captured}, {"ordered", ordered}, {"crossed", crossed}, {"waited", waited},
    {"written", written},
};

}  // namespace

const std::span<const action> kept_actions = actions;
