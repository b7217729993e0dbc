// Rows divided among ranks: the parts of a matrix, without MPI.
#include "hmatrix/products.hpp"
#include "watari/core/error.hpp"
#include "watari/hmatrix/solve.hpp"

#include <gtest/gtest.h>

namespace watari::hmatrix {
namespace {

TEST(division, gives_each_rank_rows_near_its_share_of_the_bytes) {
    for (const char* name : {"cube:8", "bumpy:12", "spheres:8"}) {
        const surface of(shape(name));
        const std::vector<block> leaves = leaves_of(of.tree, 2);
        std::size_t all = 0;
        for (const block& leaf : leaves) all += expected_bytes(leaf);
        for (const std::size_t ranks : {1, 2, 3, 4, 7}) {
            const std::vector<row_range> parts = divided(of.tree, leaves, ranks);
            ASSERT_EQ(parts.size(), ranks);
            std::uint32_t next = 0;
            for (const row_range& part : parts) {
                EXPECT_EQ(part.first, next);
                next = part.end();
                double bytes = 0;
                for (const block& leaf : touching(leaves, part))
                    bytes += static_cast<double>(expected_bytes(leaf)) * within(leaf, part).rows /
                             leaf.rows;
                EXPECT_NEAR(bytes * static_cast<double>(ranks) / static_cast<double>(all), 1, 0.2)
                    << name << " " << ranks;
            }
            EXPECT_EQ(next, of.size());
        }
        EXPECT_THROW(divided(of.tree, leaves, of.size()), usage_error);
    }
}

TEST(division, covers_each_row_of_each_leaf_once) {
    const surface of(shape("bumpy:8"));
    const std::vector<block> leaves = leaves_of(of.tree, 2);
    std::uint64_t entries = 0;
    for (const row_range& part : divided(of.tree, leaves, 5))
        for (const block& leaf : within(touching(leaves, part), part)) {
            entries += leaf.entries();
            EXPECT_GE(leaf.row, part.first);
            EXPECT_LE(leaf.row + leaf.rows, part.end());
        }
    EXPECT_EQ(entries, std::uint64_t{of.size()} * of.size());
}

/// Cuts that lie between clusters, and one in the middle of many leaves.
std::vector<std::vector<row_range>> divisions(const surface& of) {
    const std::vector<block> leaves = leaves_of(of.tree, 2);
    const auto n = static_cast<std::uint32_t>(of.size());
    return {divided(of.tree, leaves, 2),
            divided(of.tree, leaves, 5),
            {{0, 401}, {401, 1}, {402, n - 402}}};
}

TEST(division, makes_matrices_whose_products_have_the_bits_of_the_whole_matrix) {
    for (const bool single : {false, true})
        for (const bool recompress : {false, true}) {
            build_options how{.eps = 1e-4, .recompress = recompress, .single = single};
            const built whole("bumpy:8", how);
            const std::size_t n = whole.size();
            const std::vector<double> x = random_vector(2 * n);
            const std::vector<double> expected = product(whole, x, 2);
            for (const std::vector<row_range>& parts : divisions(whole.of))
                for (const row_range& part : parts) {
                    how.rows = part;
                    const built own("bumpy:8", how);
                    const std::vector<double> y = product(own, x, 2);
                    for (std::size_t s = 0; s < 2; ++s)
                        for (std::size_t i = 0; i < n; ++i) {
                            const bool is_own = i >= part.first && i < part.end();
                            ASSERT_EQ(y[s * n + i], is_own ? expected[s * n + i] : 0) << i;
                        }
                }
        }
}

TEST(division, costs_few_bytes_and_entries) {
    const built whole("bumpy:12");
    build_options how;
    std::uint64_t bytes = 0, entries = 0;
    for (const row_range& part : divided(whole.of.tree, leaves_of(whole.of.tree, 2), 4)) {
        how.rows = part;
        const built own("bumpy:12", how);
        bytes += own.index.data_bytes();
        entries += own.counts.entries;
    }
    EXPECT_LT(static_cast<double>(bytes), 1.05 * static_cast<double>(whole.index.data_bytes()));
    EXPECT_LT(static_cast<double>(entries), 1.1 * static_cast<double>(whole.counts.entries));
}

TEST(division, of_another_rank_is_another_matrix) {
    build_options how{.rows = {100, 200}};
    const built part("bumpy:6", how);
    EXPECT_EQ(part.index.head.of, identity_of(part.of, how));
    EXPECT_FALSE(part.index.head.of == identity_of(part.of, {}));
    how.rows = {100, 201};
    EXPECT_FALSE(part.index.head.of == identity_of(part.of, how));
    how.rows = {700, 21};
    EXPECT_THROW(build(part.of, part.path, how), usage_error);
}

TEST(division, without_the_other_ranks_is_not_solved_with) {
    const built part("bumpy:6", {.rows = {0, 360}});
    EXPECT_THROW(solver(part.path, part.index, {.jacobi = false}), usage_error);
}

TEST(division, is_built_on_where_it_was_stopped) {
    const build_options how{.eps = 1e-4, .chunk_bytes = 1 << 18, .rows = {500, 1000}};
    const built once("bumpy:10", how);
    const surface of(shape("bumpy:10"));
    const storage::directory folder{};
    const std::string path = folder.path + "/matrix";
    EXPECT_TRUE(build(of, path, how, stop_at(12)).stopped);
    const build_counts counts = build(of, path, how);
    EXPECT_GT(counts.resumed, 0u);
    EXPECT_EQ(read_index(path).sums, once.index.sums);
}

}  // namespace
}  // namespace watari::hmatrix
