// The tiles of C that share a write request: neighbours of one block that are complete, a row of
// them at a time, each once.
#include "watari/gemm/pipeline/write_queue.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

namespace watari::gemm {
namespace {

constexpr tiling tiles{.rows = 600, .columns = 750, .tile = 100};  // the last column is narrower
const auto all_are_there = [](const finished_columns&) { return true; };

TEST(Finished, NeighboursOfABlockGoTogether) {
    write_queue queue(tiles, 5);
    queue.push({.row = 2, .rows = 2, .column = 0, .columns = 2, .number = 0});
    queue.push({.row = 2, .rows = 2, .column = 2, .columns = 3, .number = 2});
    queue.push({.row = 2, .rows = 2, .column = 5, .columns = 1, .number = 5});
    for (std::size_t r = 0; r < 2; ++r) {
        const auto taken = queue.take(all_are_there);
        ASSERT_TRUE(taken);
        EXPECT_EQ(taken->columns, 5u);
        EXPECT_EQ(taken->taken, r);
        EXPECT_EQ(queue.front().column, r == 0 ? 0u : 5u);
    }
    EXPECT_EQ(queue.take(all_are_there)->column, 5u);
}

TEST(Finished, OnesThatAreNotThereStay) {
    write_queue queue(tiles, 7);
    queue.push({.row = 0, .rows = 1, .column = 0, .columns = 3, .number = 0});
    queue.push({.row = 0, .rows = 1, .column = 3, .columns = 3, .number = 3});
    EXPECT_FALSE(queue.take([](const auto&) { return false; }));
    EXPECT_EQ(queue.take([](const auto& c) { return c.last() < 3; })->columns, 3u);
    EXPECT_EQ(queue.front().column, 3u);
    EXPECT_FALSE(queue.take([](const auto& c) { return c.last() < 3; }));
    EXPECT_EQ(queue.take(all_are_there)->columns, 3u);
    EXPECT_TRUE(queue.empty());
    EXPECT_FALSE(queue.take(all_are_there));
}

TEST(Finished, RowsThatWentAloneAreNotMadeUpFor) {
    write_queue queue(tiles, 7);
    queue.push({.row = 0, .rows = 2, .column = 0, .columns = 2, .number = 0});
    EXPECT_EQ(queue.take(all_are_there)->columns, 2u);
    queue.push({.row = 0, .rows = 2, .column = 2, .columns = 2, .number = 2});
    EXPECT_EQ(queue.take(all_are_there)->columns, 2u);
    EXPECT_EQ(queue.take(all_are_there)->taken, 0u);
    EXPECT_EQ(queue.take(all_are_there)->taken, 1u);
    EXPECT_TRUE(queue.empty());
}

TEST(Finished, OtherBlocksAndNarrowerTilesGoApart) {
    write_queue queue(tiles, 7);
    queue.push({.row = 0, .rows = 1, .column = 0, .columns = 2, .number = 0});
    queue.push({.row = 0, .rows = 1, .column = 2, .columns = 2, .number = 0});  // the next block
    queue.push({.row = 0, .rows = 1, .column = 5, .columns = 1, .number = 2});  // not its neighbour
    queue.push({.row = 3, .rows = 1, .column = 6, .columns = 1, .number = 3});  // of another row
    queue.push({.row = 3, .rows = 1, .column = 7, .columns = 1, .number = 4});  // narrower
    for (const std::size_t columns : {2u, 2u, 1u, 1u, 1u})
        EXPECT_EQ(queue.take(all_are_there)->columns, columns);
    EXPECT_TRUE(queue.empty());
}

TEST(Finished, EveryTileGoesOnceWhateverIsThere) {
    std::mt19937 random(3);
    const auto up_to = [&](std::size_t n) { return random() % n + 1; };
    for (int run = 0; run < 2000; ++run) {
        const tiling all{.rows = 10 * up_to(6), .columns = up_to(120), .tile = 10};
        const std::size_t tiles_per_request = up_to(8), p = up_to(all.tile_rows()),
                          q = up_to(all.tile_columns());
        write_queue queue(all, tiles_per_request);
        std::map<std::pair<std::size_t, std::size_t>, int> written;
        const auto take = [&](const auto& are_there) {
            const auto taken = queue.take(are_there);
            if (!taken) return;
            EXPECT_LT(taken->taken, taken->rows);
            EXPECT_LE(taken->columns, tiles_per_request);
            EXPECT_EQ(taken->column % q, taken->number);
            EXPECT_LE(taken->number + taken->columns, q);
            for (std::size_t k = 0; k < taken->columns; ++k) {
                ++written[{taken->row + taken->taken, taken->column + k}];
                EXPECT_EQ(all.columns_of(taken->column + k), all.columns_of(taken->column));
            }
        };
        for (std::size_t row = 0; row < all.tile_rows(); row += p)
            for (std::size_t first = 0; first < all.tile_columns(); first += q) {
                const std::size_t end = std::min(first + q, all.tile_columns());
                for (std::size_t c = first, count; c < end; c += count) {
                    count = std::min({up_to(tiles_per_request), end - c});
                    if (c + count == all.tile_columns() && count > 1) --count;
                    queue.push({row, std::min(p, all.tile_rows() - row), c, count, c - first});
                    while (random() % 3 == 0) take([&](const auto&) { return random() % 2 == 0; });
                }
            }
        while (!queue.empty()) take(all_are_there);
        EXPECT_EQ(written.size(), all.tiles());
        for (const auto& [tile, times] : written) EXPECT_EQ(times, 1);
    }
}

}  // namespace
}  // namespace watari::gemm
