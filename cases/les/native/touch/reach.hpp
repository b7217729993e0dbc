/// How the CPU reaches the processor's arrays: the part that each style writes itself.
#pragma once

#include <cstddef>
#include <functional>

namespace watari::les {

/// Rows of bytes, equally far apart in both memories.
struct region {
    std::byte *data, *twin;  ///< address for the processor, and for the CPU
    std::size_t bytes, stride, rows;
};

/// Number of arrays that the CPU reads: u v w theta, then the facets'.
inline constexpr unsigned reached_arrays = 5;

struct reach {
    std::byte* twin[reached_arrays]{};  ///< the CPU's copies; null: the CPU uses the array itself
    std::function<void(const region&)> bring;  ///< moves to the CPU, before it reads; null: no move
    std::function<void(const region&)> send;   ///< moves to the processor after the CPU wrote
    std::function<void(const region&)> back;   ///< moves to the processor after the CPU only read
    std::function<void()> wait;                ///< waits until all moves are complete
};

}  // namespace watari::les
