// When the GPU works: operations of a stream follow one another, with the rules of the legacy
// default stream. What they do is done at once; only their times are later.
//
//     FAKE_CUDA_KERNEL_US=N     each block of a kernel takes N us; 0
//     FAKE_CUDA_COPY_NS=N       each KiB of a copy takes N ns; 0
//
// Without both, an operation takes the time of its function, inside its call.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fake::timeline {

enum class engine { kernels, to_gpu, to_cpu, none };

struct operation {
    std::uint64_t start, end;  // ns of CLOCK_MONOTONIC
    std::uint32_t stream;      // its number in records
    const char* symbol;        // of a kernel
};

bool is_on();
std::uint32_t number_of(const void* stream);
void created(const void* stream, bool is_blocking);

void kernel(const void* stream, const char* symbol, std::uint64_t blocks);
void copy(const void* stream, engine of, std::size_t bytes);

std::uint64_t end_of(const void* stream);  // of all work so far, as an event there is recorded
std::uint64_t end_of_all();
void follow(const void* stream, std::uint64_t time);  // the stream's next operation is not earlier
void wait_until(std::uint64_t time);

// The operations that this thread has added since the last call.
const operation* take(std::size_t& count);

}  // namespace fake::timeline
