/// Pretends that the disks' unit of direct I/O is larger.
#pragma once

#include <cstdint>

namespace watari::files {

/// During its lifetime the kernel reports a unit of at least `bytes` for each file that has direct
/// I/O. A disk also accepts multiples of its own unit.
struct larger_units {
    explicit larger_units(std::uint32_t bytes);
    larger_units(const larger_units&) = delete;
    larger_units& operator=(const larger_units&) = delete;
    ~larger_units();
};

}  // namespace watari::files
