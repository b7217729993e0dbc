/// Which blocks of C a product is computed in: the form, their size, and how tiles come in groups
/// (schedule.hpp).
#pragma once

#include "watari/gemm/schedule/schedule.hpp"

#include <algorithm>
#include <cstddef>

namespace watari::gemm {

struct block_choice {
    gemm::form form = form::blocks;
    std::size_t p = 1, q = 1;  ///< tiles of a block
    std::size_t slots = 1;     ///< that it takes
    std::size_t group_a = 1;   ///< tile columns of A that one load brings: g
    std::size_t sets_a = 2;    ///< of slots for a group of A that streams past
};

/// The one that reads least within so many slots, at least 5; of those, one that hides its
/// write-back, then one that makes few loads, then one that hides what it reads, and then one that
/// needs least memory. C has a tile and more, and something is multiplied.
block_choice choose_blocks(const schedule_request& wanted, std::size_t slots);

/// Slots of a tile row or column that stays: with a single tile along k, the next one comes while
/// this one is in use.
inline std::size_t resident(std::size_t kt) { return std::max<std::size_t>(kt, 2); }

/// Tiles of each group but the last, where `count` neighbours are moved in as few groups of at most
/// `wanted` as can be, `least` of them if there are as many tiles.
inline std::size_t group_size(std::size_t count, std::size_t wanted, std::size_t least) {
    return divide_up(count, std::clamp(divide_up(count, wanted), std::min(least, count), count));
}

/// Groups of A in a panel that stays, and of C in a block, that there must be.
constexpr std::size_t least_groups = 2;
constexpr std::size_t least_of_c(bool store_bound) { return store_bound ? 1 : least_groups; }

}  // namespace watari::gemm
