/// Disks as if their unit of direct I/O were larger than it is.
#pragma once

#include <cstdint>

namespace watari::files {

/// While one lives, the kernel reports a unit of at least so many bytes of each file that has
/// direct I/O. A disk takes multiples of its own unit, too.
struct larger_units {
    explicit larger_units(std::uint32_t bytes);
    larger_units(const larger_units&) = delete;
    larger_units& operator=(const larger_units&) = delete;
    ~larger_units();
};

}  // namespace watari::files
