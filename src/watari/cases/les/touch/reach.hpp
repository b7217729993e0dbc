/// How the CPU reaches what the processor has: the part that each style writes for itself.
#pragma once

#include <cstddef>
#include <functional>

namespace watari::les {

/// Rows of bytes, equally far apart in both memories.
struct region {
    std::byte *data, *twin;  ///< where the processor and where the CPU has them
    std::size_t bytes, stride, rows;
};

/// The arrays that the CPU looks at: u v w theta, then the facets'.
inline constexpr unsigned reached_arrays = 5;

struct reach {
    std::byte* twin[reached_arrays]{};  ///< CPU memory of their own; null: the CPU takes the array
    std::function<void(const region&)> bring;  ///< to the CPU, before it reads; null: nothing to do
    std::function<void(const region&)> send;   ///< to the processor, what the CPU has written
    std::function<void(const region&)> back;   ///< to the processor, what it has only read
    std::function<void()> wait;                ///< until they have come
};

}  // namespace watari::les
