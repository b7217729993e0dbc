// Blocks stamped with their number and version, so that every wrong block is detected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

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

}  // namespace watari::storage
