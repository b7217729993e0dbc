/// Bytes of a linear congruential generator, the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace watari::storage {

inline std::vector<std::byte> random_bytes(std::size_t count, std::uint32_t seed) {
    std::vector<std::byte> all(count);
    for (std::byte& each : all) each = static_cast<std::byte>((seed = seed * 1664525 + 1) >> 24);
    return all;
}

}  // namespace watari::storage
