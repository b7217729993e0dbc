/// The order in which the blocks of a store are visited: each once before any comes again.
///
/// random: a permutation by a Feistel network of four rounds over the next power of four, walked
/// along its cycle until it is inside (Black and Rogaway, CT-RSA 2002): no table, no repetition, so
/// that neither cache hits nor two writes of one block distort a measurement.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

namespace watari::storage {

enum class pattern { random, sequential };

class order {
public:
    /// An order of `blocks` blocks; another `seed` gives another random order.
    order(pattern which, std::uint64_t blocks, std::uint64_t seed)
        : which_(which),
          blocks_(blocks),
          seed_(seed),
          half_((std::bit_width(blocks - 1) + 1) / 2),
          mask_((std::uint64_t{1} << half_) - 1) {}

    /// Returns the block that is visited n-th, counted from 0.
    std::uint64_t operator()(std::uint64_t n) const {
        n %= blocks_;
        if (which_ == pattern::sequential || blocks_ < 2) return n;
        do n = permuted(n);
        while (n >= blocks_);
        return n;
    }

private:
    std::uint64_t permuted(std::uint64_t n) const {
        std::uint64_t left = n >> half_, right = n & mask_;
        for (std::uint64_t round = 0; round < 4; ++round) {
            std::uint64_t x = right + seed_ + round * 0x9e3779b97f4a7c15u;
            x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
            x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
            left ^= (x ^ (x >> 31)) & mask_;
            std::swap(left, right);
        }
        return left << half_ | right;
    }

    pattern which_;
    std::uint64_t blocks_, seed_;
    int half_;
    std::uint64_t mask_;
};

}  // namespace watari::storage
