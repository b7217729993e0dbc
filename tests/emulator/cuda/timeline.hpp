// When the GPU works, in ns of CLOCK_MONOTONIC. Kernels run side by side; each copy engine runs one
// copy at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fake::timeline {

enum class engine { kernels, to_gpu, to_cpu, none };

bool is_on();
std::uint64_t of_blocks(std::uint64_t blocks);  // what a kernel takes
std::uint64_t of_bytes(std::size_t bytes);      // what a copy takes

// The first time from `ready` on at which the engine is free for so long; it is then reserved.
std::uint64_t reserve(engine of, std::uint64_t ready, std::uint64_t takes);

void wait_until(std::uint64_t time);

}  // namespace fake::timeline
