// Which kernels use managed memory of which call sites, from the environment.
#pragma once

#include <cstddef>
#include <cstdint>

namespace attach::prefetched {

struct use {
    std::uint32_t kernel, site;
};

// Reads `KERNEL:SITE,...` into rows, which are sorted by kernel. Returns their number; 0 for a text
// that is none, or without memory.
std::size_t read_table(const char* text, use*& rows);

// The first row of a kernel; the number of rows, if it has none.
std::size_t find_kernel(const use* rows, std::size_t count, std::uint32_t kernel);

}  // namespace attach::prefetched
