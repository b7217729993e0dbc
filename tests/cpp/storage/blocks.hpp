// Blocks stamped with their number and version, so that every wrong block is detected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace watari::storage {

inline constexpr std::size_t block_size = 512;

inline void stamp(std::byte* block, std::uint64_t number, std::uint64_t version) {
    for (std::uint64_t i = 0; i < block_size / 8; ++i) {
        const std::uint64_t word = (number << 40 | version << 8 | i) * 0x9e3779b97f4a7c15;
        std::memcpy(block + 8 * i, &word, 8);
    }
}

inline bool is_stamped(const std::byte* block, std::uint64_t number, std::uint64_t version) {
    std::byte wanted[block_size];
    stamp(wanted, number, version);
    return std::memcmp(block, wanted, block_size) == 0;
}

/// The same for `count` blocks, whose numbers begin at `first`.
inline void stamp_run(std::byte* data, std::uint64_t first, std::uint64_t count,
                      std::uint64_t version) {
    for (std::uint64_t b = 0; b < count; ++b) stamp(data + b * block_size, first + b, version);
}

inline bool is_stamped_run(const std::byte* data, std::uint64_t first, std::uint64_t count,
                           std::uint64_t version) {
    for (std::uint64_t b = 0; b < count; ++b)
        if (!is_stamped(data + b * block_size, first + b, version)) return false;
    return true;
}

/// Version 0 of the first `count` blocks.
inline std::vector<std::byte> stamped(std::uint64_t count) {
    std::vector<std::byte> data(count * block_size);
    stamp_run(data.data(), 0, count, 0);
    return data;
}

}  // namespace watari::storage
