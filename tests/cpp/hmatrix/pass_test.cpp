// The kernels of a GPU (the unchanged source of product/multiply.cu) on fibers of the CPU: their
// lists and their sums, for any order of blocks.
#include "hmatrix/products.hpp"
#include "watari/core/loops.hpp"
#include "watari/hmatrix/file/writer.hpp"
#include "watari/hmatrix/product/lanes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/emulator/fibers.hpp"

namespace watari::emulated {
namespace hmatrix_parts {
using namespace cpu::hmatrix_parts;
}
}  // namespace watari::emulated

namespace watari::hmatrix {
template <class Element>
struct emulated_kernels {
    decltype(product_kernels<Element>::multiply) multiply;
    static const emulated_kernels emulated;
};
}  // namespace watari::hmatrix

#define gpu emulated
#define product_kernels emulated_kernels
#include "watari/hmatrix/product/multiply.cu"
#undef product_kernels
#undef gpu

namespace watari::hmatrix {
namespace {

/// A random matrix with ranks that no surface has: too high for shared memory.
struct stored {
    storage::directory folder{};
    std::string path = folder.path + "/matrix";
    matrix_index index;

    stored() {
        constexpr std::uint32_t n = 400;
        const std::vector<block> leaves{{0, n, 0, 250, true}, {0, n, 250, 150, true}};
        matrix_writer writer(path, {.triangles = n, .rows = n}, leaves);
        for (const std::uint32_t rank : {140u, 40u}) {
            const block& leaf = leaves[writer.leaves()];
            const std::vector<double> data =
                random_vector(std::size_t{rank} * (leaf.rows + leaf.columns), rank);
            const leaf_data one{rank, std::as_bytes(std::span(data)).data()};
            writer.append({&one, 1});
        }
        writer.finish(std::vector<std::uint32_t>(n));
        index = read_index(path);
    }
    std::size_t size() const { return index.head.of.triangles; }
};

/// y = A x by the kernels.
template <class Element, class Matrix>
std::vector<double> passed(const Matrix& m, const std::vector<double>& x, std::size_t systems,
                           std::uint64_t batch_bytes, unsigned order) {
    const std::vector<batch> batches = batches_of(m.index, batch_bytes);
    const plan_lists lists(m.index, batches, processor::type::gpu);
    const product_plan plan(m.index, lists, the_cpu);
    const std::string bytes = content(m.path);
    std::vector<double> y(x.size()), scratch(plan.scratch() * std::min(systems, systems_at_once));
    emulated::order_of_blocks = order;
    for (std::size_t b = 0; b < batches.size(); ++b) {
        std::ranges::fill(scratch, std::nan(""));
        std::vector<double> data(batches[b].bytes / 8);  // aligned
        std::memcpy(data.data(), bytes.data() + batches[b].offset, batches[b].bytes);
        const batch_view g = plan.view_of(b);
        emulated_kernels<Element>::emulated.multiply(
            g, reinterpret_cast<const std::byte*>(data.data()), x.data(), scratch.data(), y.data(),
            systems, nullptr);
    }
    return y;
}

template <class Element, class Matrix>
void expect_the_bits_of_the_cpu(const Matrix& m, std::size_t systems, std::uint64_t batch_bytes) {
    const std::vector<double> x = random_vector(m.size() * systems);
    matrix_product a(m.path, m.index, {.systems = systems});
    const std::vector<double> expected = product(a, x, systems);
    for (const unsigned order : {0, 1})
        EXPECT_TRUE((passed<Element>(m, x, systems, batch_bytes, order) == expected))
            << systems << " systems, batches of " << batch_bytes << ", order " << order;
}

constexpr std::uint64_t whole = std::uint64_t{1} << 40;

TEST(pass, has_the_bits_of_the_cpu) {
    const built m("bumpy:5", {.eps = 1e-7});
    expect_the_bits_of_the_cpu<double>(m, 1, whole);
    expect_the_bits_of_the_cpu<double>(m, 1, 1 << 16);
}

TEST(pass, of_several_systems_has_the_bits_of_the_cpu) {
    const built m("bumpy:4");
    expect_the_bits_of_the_cpu<double>(m, 15, whole);
}

TEST(pass, in_single_precision_has_the_bits_of_the_cpu) {
    const built m("bumpy:4", {.single = true});
    expect_the_bits_of_the_cpu<float>(m, 1, whole);
    expect_the_bits_of_the_cpu<float>(m, 2, 1 << 15);
}

TEST(pass, of_one_leaf_and_of_ranks_above_those_of_a_block) {
    expect_the_bits_of_the_cpu<double>(built("cube:1"), 1, whole);
    const stored high;
    expect_the_bits_of_the_cpu<double>(high, 1, whole);
    expect_the_bits_of_the_cpu<double>(high, 3, whole);
}

TEST(pass, starts_with_the_longest_rows) {
    const built m("bumpy:8");
    const std::vector<batch> batches = batches_of(m.index, 1 << 18);
    const plan_lists lists(m.index, batches, processor::type::gpu);
    const product_plan plan(m.index, lists, the_cpu);
    for (std::size_t b = 0; b < batches.size(); ++b) {
        const batch_view view = plan.view_of(b);
        std::vector<std::uint64_t> all, expected;  // offsets: each row once
        for (std::uint32_t r = 0; r < view.projection_count; ++r) {
            EXPECT_TRUE(r == 0 || view.pass.rows[r].columns <= view.pass.rows[r - 1].columns) << r;
            all.push_back(view.pass.rows[r].offset + batches[b].offset);
        }
        for (std::size_t i = 0; i < batches[b].leaves; ++i) {
            const leaf_record& leaf = m.index.leaves[batches[b].first_leaf + i];
            for (std::uint64_t r = 0; leaf.rank != dense && r < leaf.rank; ++r)
                expected.push_back(leaf.offset + 8 * r * leaf.columns);
        }
        std::ranges::sort(all);
        EXPECT_EQ(all, expected);
    }
}

TEST(pass, has_each_tile_once_those_with_most_elements_first) {
    const built m("bumpy:8");
    const std::vector<batch> batches = batches_of(m.index, 1 << 18);
    const plan_lists lists(m.index, batches, processor::type::gpu);
    for (std::size_t b = 0; b < batches.size(); ++b) {
        const plan_lists::beginning &from = lists.beginnings[b], &to = lists.beginnings[b + 1];
        std::vector<std::uint64_t> elements, rows;
        std::uint64_t sum = 0, pieces = 0;
        for (std::size_t t = from.tile; t < to.tile; ++t) {
            const tile& own = lists.tiles[t];
            std::uint64_t here = 0;
            for (std::uint32_t k = own.first; k < own.last; ++k) {
                const tile_piece& piece = lists.pieces[from.entry + k];
                here += std::uint64_t{piece.rows} * piece.width;
            }
            elements.push_back(here), rows.push_back(own.row);
            sum += here, pieces += own.last - own.first;
        }
        EXPECT_EQ(pieces, to.entry - from.entry);
        for (std::size_t t = 1; t < elements.size(); ++t)
            EXPECT_LE(elements[t], elements[t - 1] + sum / (8 * elements.size()) + 1);
        std::ranges::sort(rows);
        EXPECT_EQ(std::ranges::adjacent_find(rows), rows.end());
    }
}

}  // namespace
}  // namespace watari::hmatrix
