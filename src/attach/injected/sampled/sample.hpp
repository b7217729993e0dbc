// A sampled launch: all managed memory is moved to the CPU before it, and after it each page is
// where the launch left it. This does not depend on records of CUPTI, which may get lost.
#pragma once

#include "blocks.hpp"
#include "held.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace watari::attach {

struct sampled_allocation {
    held memory;
    std::vector<range> blocks;  // read-mostly during the launch
    // bytes, in all and in `blocks`, that the CPU has not mapped before: their location is unknown
    std::size_t unknown = 0, unknown_in_blocks = 0;
};

struct sample {
    std::uint32_t correlation = 0;  // identifier of the launch
    CUstream stream = nullptr;
    CUdevice device = 0;
    std::uint64_t touched = 0;  // bytes, once it is measured
    std::vector<sampled_allocation> allocations;
};

// Moves the allocations to the CPU. The GPU must be idle. `turn`: selects the read-mostly blocks;
// nothing: there are none, so that only records of faults show writes, and the launch is not
// slower.
sample begin_sample(const managed_memory& managed, CUstream stream, CUdevice device,
                    std::uint32_t correlation, std::optional<unsigned> turn);

// Writes records of the touched bytes, after the launch's stream has finished. Returns false if it
// has not by the deadline (CLOCK_MONOTONIC): a kernel may wait for the program's next step.
bool measure(sample& one, std::uint64_t deadline);

// Restores the program's hints before the next launch.
void end_sample(const sample& one);

}  // namespace watari::attach
