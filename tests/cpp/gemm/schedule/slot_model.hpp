// A schedule carried out by a model of slots.
#pragma once

#include "watari/core/error.hpp"
#include "watari/gemm/schedule/schedule.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace watari::gemm {

using tile_name = std::tuple<matrix, std::size_t, std::size_t>;

/// Fast memory under the rule of schedule.hpp: loads of A and B run in their order, as early as the
/// rule allows.
class model {
public:
    explicit model(const gemm::schedule& schedule, bool store_bound = false)
        : schedule_(schedule), store_bound_(store_bound), slots_(schedule.slots()) {}

    void run() {
        std::vector<std::pair<step, load>> waiting;
        for (std::size_t s = 0; s < schedule_.steps(); ++s)
            for (const load& each : schedule_.loads(schedule_.step(s)))
                waiting.emplace_back(schedule_.step(s), each);
        auto next = waiting.begin();
        for (std::size_t s = 0; s < schedule_.steps(); ++s) {
            for (; next != waiting.end(); ++next) {
                const auto& [at, tiles] = *next;
                if (tiles.which == matrix::c ? at.number > s
                                             : schedule_.needs_done(at, tiles.which) > s)
                    break;
                bring(tiles);
                ahead = std::max(ahead, at.number - s);
            }
            ASSERT_TRUE(next == waiting.end() || next->first.number > s) << "waits for itself";
            compute(schedule_.step(s));
        }
    }

    std::map<matrix, std::size_t> read, widest;
    std::size_t loads = 0;
    std::size_t written = 0;
    std::size_t ahead = 0;  ///< steps by which a load came early, at most
    /// For each tile of C, the l of its products in their order.
    std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> made;

private:
    void bring(const load& tiles) {
        read[tiles.which] += tiles.columns;
        ++loads;
        widest[tiles.which] = std::max(widest[tiles.which], tiles.columns);
        ASSERT_LE(tiles.columns, schedule_.most_tiles_per_request(tiles.which));
        const tiling& all = schedule_.tiles_of(tiles.which);
        for (std::size_t k = 1; k < tiles.columns; ++k)
            ASSERT_TRUE(all.columns_of(tiles.column + k) == all.columns_of(tiles.column) ||
                        (k + 1 == tiles.columns && schedule_.joins_narrow(tiles.which)));
        if (tiles.which == matrix::c) return;  // compute() does this: loads of C wait for the write
        for (std::size_t k = 0; k < tiles.columns; ++k) {
            const load tile = tiles.only(k, 1);
            ASSERT_LT(tile.slot, slots_.size());
            ASSERT_GE(tile.slot, schedule_.block_rows() * schedule_.block_columns());
            slots_[tile.slot] = {tile.which, tile.row, tile.column};
        }
    }

    void compute(const step& at) {
        std::set<std::size_t> loaded;
        for (const load& tiles : schedule_.loads(at)) {
            if (tiles.which != matrix::c) continue;
            for (std::size_t k = 0; k < tiles.columns; ++k) {
                const load tile = tiles.only(k, 1);
                ASSERT_FALSE(unwritten_.contains(tile.slot));
                slots_.at(tile.slot) = {matrix::c, tile.row, tile.column};
                loaded.insert(tile.slot);
            }
        }
        for (std::size_t r = 0; r < at.rows; ++r)
            for (std::size_t c = 0; c < at.columns; ++c) multiply(at, r, c, loaded);
        std::size_t columns = 0;
        for (const run_of_tiles& each : schedule_.groups_of_c(at)) {
            ASSERT_EQ(each.first, columns);
            ASSERT_LE(each.count, schedule_.most_tiles_per_request(matrix::c));
            ASSERT_TRUE(store_bound_ || each.count < at.columns || at.columns == 1)
                << "nothing hides the write";
            columns += each.count;
        }
        ASSERT_EQ(columns, at.columns);
    }

    /// Checks the product for tile r of the step's column c; `loaded`: the slots of C that were
    /// read.
    void multiply(const step& at, std::size_t r, std::size_t c,
                  const std::set<std::size_t>& loaded) {
        const std::size_t row = at.row + r, column = at.column + c;
        const std::size_t slot = schedule_.slot_of_c(r, c);
        if (schedule_.multiplies()) {
            ASSERT_EQ(slots_.at(schedule_.slot_of_a(at, r)), (tile_name{matrix::a, row, at.l}));
            ASSERT_EQ(slots_.at(schedule_.slot_of_b(at, c)), (tile_name{matrix::b, at.l, column}));
        }
        const tile_name here{matrix::c, row, column};
        if (at.first) {
            ASSERT_TRUE(unwritten_.insert(slot).second) << "C would be lost";
            ASSERT_EQ(loaded.contains(slot), schedule_.times_c() == 1);
            if (!loaded.contains(slot)) slots_.at(slot) = here;
        }
        ASSERT_EQ(slots_.at(slot), here);
        made[{row, column}].push_back(at.l);
        if (!at.last) return;
        unwritten_.erase(slot);
        ++written;
    }

    const gemm::schedule& schedule_;
    bool store_bound_;
    std::vector<tile_name> slots_;
    std::set<std::size_t> unwritten_;  ///< slots of C
};

}  // namespace watari::gemm
