// One sampled launch: all managed memory goes to the CPU before it, and behind it each page is
// where the launch left it. That does not depend on records of CUPTI, which get lost.
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
    CUdevice preferred;  // the program's hints, which return behind the launch
    bool is_read_mostly;
    std::vector<range> blocks;  // that are read-mostly in the launch
    // bytes that the CPU has not mapped, so that the GPU may have them or not; and in those blocks
    std::size_t unknown = 0, unknown_in_blocks = 0;
};

struct sample {
    std::uint32_t correlation = 0;  // of the launch
    CUstream stream = nullptr;
    std::vector<sampled_allocation> allocations;
};

// Moves the allocations to the CPU. The GPU is idle. `turn`: of this launch among those of its
// kernel.
sample begin_sample(const std::map<CUdeviceptr, std::size_t>& managed, CUstream stream,
                    std::uint32_t correlation, unsigned turn);

// Writes what the launch touched, once its stream has finished. False where it has not by then
// (a time of CLOCK_MONOTONIC): a kernel may wait for what the program does next.
bool measure(const sample& one, std::uint64_t deadline);

// Gives the program its hints back, before the launch that comes next.
void end_sample(const sample& one);

}  // namespace watari::attach
