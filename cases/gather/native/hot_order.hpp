/// The order in which a gather visits the elements of a file behind a cache, so that a given share
/// of them is in it: a hot part of the file, which the cache keeps, and the rest, of which each
/// element is visited once before any comes again.
#pragma once

#include "order.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::gather {

struct hot_order {
    std::size_t hot;      ///< elements 0 to hot - 1 are the hot part
    order cold;           ///< of the elements behind them
    std::uint64_t share;  ///< of visits that are hot, as a part of 2^32
    std::uint64_t first;  ///< visits before this pass

    /// Returns the element of visit i of this pass: hot ones at random, with the share's chance.
    constexpr std::size_t operator()(std::size_t i) const {
        std::uint64_t x = (first + i + 1) * 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        x ^= x >> 31;
        if ((x & 0xffffffffu) < share) return (x >> 32) % hot;
        return hot + cold((first + i) % cold.count);
    }
};

/// Hot elements for a share of hits in a cache that has room for `slots` elements. Between two
/// visits of a hot element some hot x (1 - share) / share cold ones pass; they fill a quarter of
/// the cache at most, so that a cache by second chance keeps the hot part.
constexpr std::size_t hot_elements(std::size_t slots, double share) {
    const double most = static_cast<double>(slots) / 2;
    const double kept = share < 1 ? most / 2 * share / (1 - share) : most;
    return static_cast<std::size_t>(kept < most ? (kept < 1 ? 1 : kept) : most);
}

}  // namespace watari::gather
