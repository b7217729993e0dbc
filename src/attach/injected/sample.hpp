// A sampled launch: all managed memory is moved to the CPU before it, and after it each page is
// where the launch left it. This does not depend on records of CUPTI, which may get lost.
#pragma once

#include "blocks.hpp"
#include "libraries.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace watari::attach {

struct sampled_allocation {
    CUdeviceptr pointer;
    std::size_t size;
    CUdevice preferred;  // the program's hints, which are restored afterwards
    bool is_read_mostly;
    std::vector<range> blocks;  // read-mostly during the launch
    // bytes, in all and in `blocks`, that the CPU has not mapped before: their location is unknown
    std::size_t unknown = 0, unknown_in_blocks = 0;
};

struct sample {
    std::uint32_t correlation = 0;  // identifier of the launch
    CUstream stream = nullptr;
    std::vector<sampled_allocation> allocations;
};

// Moves the allocations to the CPU. The GPU must be idle. `turn`: number of this launch among the
// sampled launches of its kernel.
sample begin_sample(const std::map<CUdeviceptr, std::size_t>& managed, CUstream stream,
                    std::uint32_t correlation, unsigned turn);

// Writes records of the touched bytes, after the launch's stream has finished. Returns false if it
// has not by the deadline (CLOCK_MONOTONIC): a kernel may wait for the program's next step.
bool measure(const sample& one, std::uint64_t deadline);

// Restores the program's hints before the next launch.
void end_sample(const sample& one);

}  // namespace watari::attach
