// A launch that is timed with its memory in one place. Its time is that of CUPTI's record.
#pragma once

#include "held.hpp"
#include "schedule.hpp"

#include <vector>

namespace watari::attach {

struct placed {
    std::uint32_t correlation = 0;  // identifier of the launch
    CUstream stream = nullptr;
    CUdevice device = 0;
    placement where = placement::local;
    std::vector<held> memory;
    std::uint64_t bytes = 0, moving = 0;  // that could be moved, and the ns for it
};

enum class outcome { ended, stopped, unended };

// Moves all memory and waits. The GPU must be idle.
placed begin_placed(const managed_memory& managed, CUstream stream, CUdevice device,
                    std::uint32_t correlation, placement where);

// Waits for the launch. `most`: time (CLOCK_MONOTONIC) at which a launch with mapped memory is
// stopped: its memory goes to the GPU while the kernel runs, so that it soon ends. `deadline`: a
// kernel that has not ended then may wait for the program.
outcome wait_for(const placed& one, std::uint64_t most, std::uint64_t deadline);

// Restores the program's hints.
void end_placed(const placed& one);

}  // namespace watari::attach
