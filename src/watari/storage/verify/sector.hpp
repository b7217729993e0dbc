/// The test data of a store: sectors of 512 bytes, each with its own address and a checksum, so
/// that misplaced, stale, torn or damaged data are detected whatever the block size of the reader.
///
/// 64 words of 8 bytes: the address (offset in the store / 512), the generation (0 when the store
/// is made, counted up by writers), 61 words that follow from both, the checksum. The checksum is
/// NH of Black et al. (UMAC, CRYPTO 1999): sums of products of 32-bit halves with keys, which
/// vector units compute.
#pragma once

#include "watari/core/backend.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::storage {

inline constexpr std::size_t sector_bytes = 512;
inline constexpr std::size_t sector_words = sector_bytes / sizeof(std::uint64_t);

/// A generation that fits every sector.
inline constexpr std::uint64_t any_generation = ~std::uint64_t{0};

/// An address that no sector has.
inline constexpr std::uint64_t no_address = ~std::uint64_t{0};

}  // namespace watari::storage

namespace watari::WATARI_BACKEND {

/// The checksum of a sector's other words.
WATARI_KERNEL inline std::uint64_t sector_checksum(const std::uint64_t* words) {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i + 1 < storage::sector_words; ++i) {
        const std::uint32_t low = static_cast<std::uint32_t>(words[i]) + 0x9e3779b9u * (2 * i + 1);
        const std::uint32_t high =
            static_cast<std::uint32_t>(words[i] >> 32) + 0x85ebca6bu * (2 * i + 1);
        sum += std::uint64_t{low} * high;
    }
    return sum;
}

WATARI_KERNEL inline void write_sector(std::uint64_t* words, std::uint64_t address,
                                       std::uint64_t generation) {
    words[0] = address;
    words[1] = generation;
    std::uint64_t x = (address + 1) * 0x9e3779b97f4a7c15u ^ (generation + 1) * 0xc2b2ae3d27d4eb4fu;
    for (std::size_t i = 2; i + 1 < storage::sector_words; ++i) {
        x += 0x9e3779b97f4a7c15u;
        words[i] = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    }
    words[storage::sector_words - 1] = sector_checksum(words);
}

/// Whether a sector is whole, at its location, and of this generation.
WATARI_KERNEL inline bool sector_is(const std::uint64_t* words, std::uint64_t address,
                                    std::uint64_t generation) {
    return words[0] == address &&
           (generation == storage::any_generation || words[1] == generation) &&
           words[storage::sector_words - 1] == sector_checksum(words);
}

}  // namespace watari::WATARI_BACKEND
