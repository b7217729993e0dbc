/// The order in which a gather visits elements: a permutation that is computed, not stored, since
/// an index table of 4-byte elements would be as large as the data.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace watari::gather {

/// A permutation of the numbers below 2^bits: odd factors and shifts to the right are reversible.
constexpr std::uint64_t mixed(std::uint64_t x, unsigned bits) {
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    const unsigned half = bits / 2 + 1;
    x = (x * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du) & mask;
    x ^= x >> half;
    x = x * 0xbf58476d1ce4e5b9u & mask;
    x ^= x >> half;
    x = x * 0x94d049bb133111ebu & mask;
    return x ^ (x >> half);
}

/// Elements 0 to count - 1, ascending or at random.
struct order {
    std::size_t count;
    bool random;
    unsigned bits;  ///< bits of the largest element's number

    constexpr order(std::size_t count, bool random)
        : count(count),
          random(random),
          bits(count > 1 ? static_cast<unsigned>(std::bit_width(count - 1)) : 0) {}

    /// Returns the element that is visited at step i < count. Numbers that are too large, fewer
    /// than half, are mixed again.
    constexpr std::size_t operator()(std::size_t i) const {
        if (!random) return i;
        do i = mixed(i, bits);
        while (i >= count);
        return i;
    }
};

}  // namespace watari::gather
