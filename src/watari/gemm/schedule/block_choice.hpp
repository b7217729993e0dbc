/// Choice of the blocks of C: their form, their size, and the groups in which tiles are loaded
/// (schedule.hpp).
#pragma once

#include "watari/gemm/schedule/schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace watari::gemm {

struct block_choice {
    gemm::form form = form::blocks;
    std::size_t p = 1, q = 1;  ///< tiles of a block
    std::size_t slots = 1;     ///< slots that it takes
    std::size_t group_a = 1;   ///< tile columns of A that one load brings: g
    std::size_t sets_a = 2;    ///< sets of slots for a group of A that streams past
};

/// Returns the choice that reads least, or has the least cost, within `slots` slots, at least 5.
/// Ties are broken in this order: hidden write-back, fewest loads, two sets of slots for A, hidden
/// reads, least memory. Requires a tile of C and a product.
block_choice choose_blocks(const schedule_request& wanted, std::size_t slots);

/// Slots of a tile row or column that stays: with a single tile along k, the next one is loaded
/// while this one is in use.
inline std::size_t resident(std::size_t kt) { return std::max<std::size_t>(kt, 2); }

/// Returns the tiles of each group but the last. `count` neighbours move in as few groups of at
/// most `wanted` tiles as possible, but in min(least, count) groups or more.
inline std::size_t group_size(std::size_t count, std::size_t wanted, std::size_t least) {
    return divide_up(count, std::clamp(divide_up(count, wanted), std::min(least, count), count));
}

/// Splits neighbouring tiles of a tile row, which are in fast memory together, into the runs of
/// their loads, counted from the first one. A tile that is narrower than the others has its own,
/// unless it `joins` them.
std::vector<run_of_tiles> groups_of(const tiling& of, run_of_tiles tiles, std::size_t wanted,
                                    std::size_t least, bool joins);

/// Splits a whole tile row, of which `at_once` tiles are in fast memory together.
std::vector<run_of_tiles> runs_of(const tiling& of, std::size_t at_once, std::size_t wanted,
                                  std::size_t least, bool joins);

/// Least number of groups: of A in a panel that stays, and of C in a block.
constexpr std::size_t least_groups = 2;
constexpr std::size_t least_of_c(bool store_bound) { return store_bound ? 1 : least_groups; }

}  // namespace watari::gemm
