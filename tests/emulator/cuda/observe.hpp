// Events of this driver for the fake libcupti (../cupti): calls that begin and end, and pages
// of managed memory that move. The fake libcupti sets fake_cuda_observer inside cuInit; without an
// observer no memory is watched.
#pragma once

#include <time.h>
#include <initializer_list>
#include <utility>

#include "fake_cuda.hpp"
#include "queue.hpp"

namespace fake {

enum class sight { call, operation, context, faulted, moved_to_gpu, moved_to_cpu };

struct seen {
    sight what;
    const char* function = "";
    bool begins = false;
    const void* parameters = nullptr;  // as the driver's callbacks have them
    const char* symbol = nullptr;      // of a kernel
    result outcome = success;
    std::uint64_t address = 0, bytes = 0, start = 0, end = 0;
    bool by_gpu = false, writes = false;
    void* context = nullptr;
    const queue::operation* operation = nullptr;
    bool is_per_thread = false;  // a function *_ptsz or *_ptds
};

// Returns the correlation of a call that begins.
using observer = std::uint32_t (*)(const seen&);

}  // namespace fake

extern "C" __attribute__((visibility("default"))) fake::observer fake_cuda_observer;
extern "C" __attribute__((visibility("default"))) std::uint32_t fake_cuda_stream_number(
    const void* stream);

namespace fake {

inline std::uint64_t now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u +
           static_cast<std::uint64_t>(time.tv_nsec);
}

bool is_per_thread();  // streams.cpp

// A call of the driver, reported before and after. Parameters are 64 bits each; two of 32 bits
// share one. Once an operation has failed, it returns that.
template <typename Call>
result observed(const char* function, std::initializer_list<std::uint64_t> parameters, Call call,
                const char* symbol = nullptr) {
    const auto outcome = [&] {
        const result failed = queue::failure();
        return failed ? failed : call();
    };
    if (!fake_cuda_observer) return outcome();
    seen sight_of_call{sight::call, function, true, parameters.begin(), symbol};
    sight_of_call.is_per_thread = is_per_thread();
    const auto before = std::exchange(queue::correlation, fake_cuda_observer(sight_of_call));
    sight_of_call.start = now();
    sight_of_call.outcome = outcome();
    sight_of_call.end = now();
    sight_of_call.begins = false;
    queue::correlation = before;
    fake_cuda_observer(sight_of_call);
    return sight_of_call.outcome;
}

inline std::uint64_t bits(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
inline std::uint64_t pair(unsigned low, unsigned high) {
    return low | (static_cast<std::uint64_t>(high) << 32);
}

// Managed memory while it is watched: each page of 64 KiB is on one side, and a touch from the
// other side faults and moves the page, or copies it if it is read-mostly. The GPU reads and writes
// pages over the link that prefer the CPU and that it has a mapping of. Advice is CUmem_advise.
namespace residency {
constexpr int set_read_mostly = 1, unset_read_mostly = 2, set_preferred = 3, unset_preferred = 4,
              set_accessed = 5, unset_accessed = 6;
constexpr int no_device = -2;
void add(device_pointer pointer, std::size_t bytes);
void remove(device_pointer pointer);
void prefetch(device_pointer pointer, std::size_t bytes, bool to_gpu);
bool advise(device_pointer pointer, std::size_t bytes, int advice,
            int device);  // false if the memory is not watched
bool hints(device_pointer pointer, bool& is_read_mostly, int& preferred, bool& is_accessed);
// Bytes of the pages that this thread's kernels have used over the link, and that faults have moved
// for them, since the last call.
struct remote {
    std::uint64_t link, faulted;
};
remote take_remote();
struct gpu_works {  // this thread acts as the GPU while one exists
    gpu_works();
    ~gpu_works();
};
}  // namespace residency

}  // namespace fake
