// The requests that read tiles of a matrix, and the number of tiles that one should cover.
#include "watari/gemm/schedule/placement.hpp"

#include "watari/storage/stores/store_engines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <random>

namespace watari::gemm {
namespace {

constexpr std::size_t kibibytes_32 = 1 << 15;

TEST(GemmPlacement, RequestsOnADiskAreAsLongAsTheyMayBe) {
    const auto packed = [](std::size_t tile, std::size_t element, gemm::layout layout) {
        return tiles_in_request(placement::packed({3 * tile, 3 * tile, tile}, element, layout),
                                kibibytes_32);
    };
    EXPECT_EQ(packed(128, 4, layout::row_major), 64u);
    EXPECT_EQ(packed(2048, 4, layout::row_major), 4u);
    EXPECT_EQ(packed(2048, 8, layout::row_major), 2u);
    EXPECT_EQ(packed(1536, 4, layout::row_major), 5u);  // 30 KiB
    EXPECT_EQ(packed(8192, 4, layout::row_major), 1u);
    EXPECT_EQ(packed(16384, 4, layout::row_major), 1u);
    EXPECT_EQ(packed(2048, 4, layout::tiled), 1u);
}

TEST(GemmPlacement, StoredTilesAreWholeNumbersOfTheLargestRequest) {
    constexpr std::size_t most = 2 << 20;
    for (std::size_t tile = 128; tile <= 8192; tile += 128)
        for (const std::size_t element : {4, 8}) {
            const std::size_t bytes = tile * tile * element;
            if (tile * element > most_block) continue;
            const placement where = placement::packed({3 * tile - 100, 2 * tile - 1, tile}, element,
                                                      layout::tiled, most);
            EXPECT_EQ(where.largest_block(), std::min(most, bytes & -bytes)) << tile;
            EXPECT_EQ(where.largest_block() * where.most_requests(), bytes);
            storage::block_list last;
            where.locate(2, 1, 1, last);
            EXPECT_LE(last.offsets.back() + last.block, where.bytes());
            EXPECT_LE(last.offsets.size() * last.block, where.tile_bytes());
        }
}

TEST(GemmPlacement, TilesComeAloneWhereTheirEdgesAreNotWholeUnitsApart) {
    const tiling whole{400, 5 * 128, 128}, odd{400, 5 * 128 + 1, 128};
    EXPECT_EQ(tiles_in_request(placement::rows_at(whole, 4, 4096, 512), kibibytes_32), 64u);
    EXPECT_EQ(tiles_in_request(placement::rows_at(whole, 4, 128, 512), kibibytes_32), 63u);
    EXPECT_EQ(tiles_in_request(placement::rows_at(odd, 4, 4096, 512), kibibytes_32), 63u);
    EXPECT_EQ(tiles_in_request(placement::rows_at(odd, 4, 128, 1), kibibytes_32), 64u);
    EXPECT_EQ(tiles_in_request(placement::rows_at(whole, 4, 128, 4096), kibibytes_32), 1u);
    EXPECT_EQ(tiles_in_request(placement::rows_at(whole, 4, 128, 512), 512), 1u);
    EXPECT_EQ(tiles_in_request(placement::rows_at(whole, 4, 128, 512), 100), 1u);
    EXPECT_EQ(tiles_in_request(placement::rows_at({400, 500, 100}, 4, 4096, 512), kibibytes_32),
              1u);
}

/// Rows of tiles in the middle may share more units than those at the edges.
TEST(GemmPlacement, SlotsHoldEveryTile) {
    for (const std::size_t tile : {128, 1000, 1152, 2048})
        for (const std::size_t unit : {1, 512, 4096})
            for (const std::size_t first : {64, 128, 4096}) {
                const placement where = placement::rows_at({2 * tile, 16384, tile}, 4, first, unit);
                storage::block_list each;
                for (std::size_t j = 0; j < where.tiles.tile_columns(); ++j) {
                    where.locate(1, j, 1, each);
                    EXPECT_LE(each.block, where.largest_block()) << tile << " " << unit;
                    EXPECT_LE(each.offsets.size() * each.block, where.tile_bytes());
                }
            }
}

TEST(GemmPlacement, NeighboursAreNoMoreThanACallTakesPieces) {
    EXPECT_EQ(tiles_in_request(placement::rows_at({32, 17600, 16}, 4, 128, 1), most_block),
              IOV_MAX);
}

TEST(GemmPlacement, NeighboursAreOneBlockARow) {
    const placement where = placement::rows_at({300, 5 * 128, 128}, 4, 4096, 512);
    storage::block_list alone, joint;
    where.locate(2, 1, 3, joint);
    ASSERT_EQ(joint.offsets.size(), 300u - 2 * 128);
    EXPECT_EQ(joint.parts, 3u);
    EXPECT_EQ(joint.block, 3u * 512);
    EXPECT_EQ(joint.rows.stride, 512u);
    for (std::size_t k = 0; k < 3; ++k) {
        where.locate(2, 1 + k, 1, alone);
        EXPECT_EQ(alone.parts, 1u);
        for (std::size_t i = 0; i < joint.offsets.size(); ++i)
            EXPECT_EQ(alone.offsets[i], joint.offsets[i] + k * 512);
    }
}

/// Part k of a block has the bytes of a request for tile k alone.
TEST(GemmPlacement, NeighboursThatShareAUnitBothHaveIt) {
    for (const std::size_t columns : {5 * 128, 5 * 128 + 17}) {
        const placement where = placement::rows_at({300, columns, 128}, 4, 128, 512);
        storage::block_list alone, joint;
        where.locate(1, 1, 3, joint);
        EXPECT_EQ(joint.rows.stride, 1024u);
        EXPECT_EQ(joint.overlap, 512u);
        EXPECT_EQ(joint.block, 4u * 512);
        EXPECT_LE(joint.block, where.largest_block(3));
        for (std::size_t k = 0; k < 3; ++k) {
            where.locate(1, 1 + k, 1, alone);
            EXPECT_EQ(alone.block, joint.rows.stride);
            EXPECT_EQ(alone.overlap, 0u);
            EXPECT_EQ(alone.rows.skip, joint.rows.skip);
            EXPECT_EQ(alone.rows.skip_step, joint.rows.skip_step);
            for (std::size_t i = 0; i < joint.offsets.size(); ++i)
                EXPECT_EQ(alone.offsets[i], joint.offsets[i] + k * 512);
        }
    }
}

TEST(GemmPlacement, SharedUnitsAreReadOnceByEachRequest) {
    const placement where = placement::rows_at({300, 5 * 128, 128}, 4, 128, 512);
    EXPECT_EQ(where.request_bytes({{0, 5}}), 300u * 6 * 512);
    EXPECT_EQ(where.request_bytes({{0, 3}, {3, 2}}), 300u * 7 * 512);
    EXPECT_EQ(where.request_bytes({{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}}), 300u * 10 * 512);
}

/// The requests of engine s3 for the rows of tiles, counted one by one.
TEST(GemmPlacement, TrafficIsWhatAMergingEngineReceives) {
    std::mt19937 random(3);
    const auto up_to = [&](std::size_t n) { return random() % n + 1; };
    for (int i = 0; i < 300; ++i) {
        const std::size_t tile = up_to(40);
        placement where =
            placement::rows_at({up_to(150), i % 3 ? up_to(150) : tile, tile}, 4, 128, 1);
        where.merged = up_to(20000);
        where.gap = up_to(1500);
        where.transposed = i % 5 == 0;
        const std::size_t columns = where.tiles.tile_columns();
        std::vector<run_of_tiles> runs;
        for (std::size_t j = 0; j < columns; ++j) runs.push_back({j, 1});
        if (columns > 3) runs = {{0, columns - 1}, {columns - 1, 1}};
        traffic counted;
        for (const auto& [first, count] : where.transposed ? std::vector<run_of_tiles>{} : runs)
            for (std::size_t row = 0; row < where.tiles.tile_rows(); ++row) {
                storage::block_list list;
                where.locate(row, first, count, list);
                std::uint64_t begin = list.offsets[0], end = begin + list.block;
                for (std::size_t k = 1; k <= list.offsets.size(); ++k) {
                    if (k < list.offsets.size() && list.offsets[k] - end <= where.gap &&
                        list.offsets[k] + list.block - begin <= where.merged) {
                        end = list.offsets[k] + list.block;
                        continue;
                    }
                    counted += {end - begin, 1};
                    if (k < list.offsets.size()) begin = list.offsets[k], end = begin + list.block;
                }
            }
        const traffic found = where.traffic_of(runs);
        EXPECT_GE(found.bytes, where.request_bytes(runs));
        if (where.transposed) continue;
        EXPECT_EQ(found.bytes, counted.bytes) << i;
        EXPECT_EQ(found.requests, counted.requests) << i;
    }
}

}  // namespace
}  // namespace watari::gemm
