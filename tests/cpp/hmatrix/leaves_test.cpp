// Leaves by a GPU's kernel (the unchanged source of build/leaves.cu) on fibers of the CPU: their
// content, and that pools, chunks and the order of blocks change no bit.
#include "hmatrix/matrices.hpp"
#include "watari/core/error.hpp"
#include "watari/core/loops.hpp"
#include "watari/core/parallel/atomic.hpp"
#include "watari/hmatrix/build/leaf_chunks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/emulator/fibers.hpp"

namespace watari::emulated {
namespace panel_rules = cpu::panel_rules;
extern const hmatrix::leaf_kernels hmatrix_leaves;
}  // namespace watari::emulated

#define gpu emulated
#include "watari/hmatrix/build/leaves.cu"
#undef gpu

namespace watari::hmatrix {
namespace {

/// Elements of a leaf.
using elements = std::vector<double>;

struct emulated_leaf {
    std::uint32_t rank;
    elements values;
    std::size_t entries, went_on;
};

/// Leaves of a surface, by the CPU and by the kernel.
struct maker_pair {
    surface of;
    build_options how;
    leaf_maker cpu{of.panels, how};
    std::vector<block> leaves = leaves_of(of.tree, how.eta);
    double tolerance = how.eps * cpu.norm() / std::sqrt(static_cast<double>(leaves.size()));

    maker_pair(const std::string& name, const build_options& options)
        : of(shape(name)), how(options) {}

    std::size_t element() const { return how.single ? 4 : 8; }
    elements values_of(const made_leaf& leaf, const block& of) const {
        const std::size_t count =
            leaf.rank == dense ? of.entries() : std::size_t{leaf.rank} * (of.rows + of.columns);
        elements values(count);
        for (std::size_t e = 0; e < count; ++e) {
            float narrow = 0;
            std::memcpy(how.single ? static_cast<void*>(&narrow) : &values[e],
                        leaf.data.data() + e * element(), element());
            if (how.single) values[e] = narrow;
        }
        return values;
    }

    /// Returns the leaves of `some` by the kernel, in chunks.
    std::vector<emulated_leaf> by_kernel(const std::vector<block>& some, unsigned order = 0) const {
        emulated::order_of_blocks = order;
        leaf_chunks chunks(cpu, how, some, the_cpu, emulated::hmatrix_leaves);
        std::vector<emulated_leaf> all;
        while (all.size() < some.size()) {
            const auto left = std::span(some).subspan(all.size());
            for (const made_leaf& one : chunks.make(left, [&](const block&) { return tolerance; }))
                all.push_back(
                    {one.rank, values_of(one, some[all.size()]), one.entries, one.went_on});
        }
        return all;
    }

    /// Returns the Frobenius norm of a leaf's error.
    double error(const emulated_leaf& leaf, const block& of) const {
        double sum = 0;
        const leaf_rows strips{of.row, of.rows};
        for (std::uint32_t i = 0; i < of.rows; ++i)
            for (std::size_t j = 0; j < of.columns; ++j) {
                const double value = entry_of(leaf.values, strips, leaf.rank, of.columns, i, j);
                const double exact = cpu.entry(of.row + i, of.column + j);
                sum += (value - exact) * (value - exact);
            }
        return std::sqrt(sum);
    }

    /// Expects leaves as precise as the CPU's, with the same ranks except for 2% of them.
    void expect_like_the_cpu(const std::vector<block>& some) const {
        const std::vector<emulated_leaf> made = by_kernel(some);
        std::size_t admissible = 0, others = 0, went_on = 0, went_on_by_cpu = 0;
        for (std::size_t n = 0; n < some.size(); ++n) {
            const made_leaf expected = cpu.make(some[n], tolerance);
            const double rounding = how.single ? 1e-7 * cpu.norm() : 0;
            const emulated_leaf by_cpu{expected.rank, values_of(expected, some[n]), 0, 0};
            EXPECT_LE(error(made[n], some[n]),
                      1.1 * std::max(tolerance, error(by_cpu, some[n])) + rounding)
                << n;
            if (!some[n].admissible) {
                EXPECT_EQ(made[n].rank, dense);
                EXPECT_EQ(made[n].entries, some[n].entries());
                continue;
            }
            ++admissible;
            others += made[n].rank != expected.rank;
            went_on += made[n].went_on;
            went_on_by_cpu += expected.went_on;
        }
        EXPECT_LE(50 * others, admissible) << others << " of " << admissible;
        EXPECT_LE(went_on, went_on_by_cpu + 1 + admissible / 50);
        EXPECT_GE(went_on + 1 + admissible / 50, went_on_by_cpu);
    }

    std::vector<block> every(std::size_t step) const {
        std::vector<block> some;
        for (std::size_t n = 0; n < leaves.size(); n += step) some.push_back(leaves[n]);
        return some;
    }
    block largest() const {
        return std::ranges::max(leaves, {}, [](const block& leaf) {
            return leaf.admissible ? leaf.rows + leaf.columns : 0;
        });
    }
};

TEST(leaves, of_a_warp_are_those_of_the_cpu) {
    for (const double eps : {1e-3, 1e-6, 1e-9}) {
        const maker_pair m("bumpy:8", {.eps = eps});
        m.expect_like_the_cpu(m.every(47));
    }
    const maker_pair cube("cube:6", {});
    cube.expect_like_the_cpu(cube.every(7));
}

TEST(leaves, of_a_block_are_those_of_the_cpu) {
    const maker_pair m("bumpy:16", {});
    const block leaf = m.largest();
    ASSERT_GT(leaf.rows + leaf.columns, most_edges_of_a_warp);
    m.expect_like_the_cpu({leaf, m.leaves[0], leaf});
}

TEST(leaves, without_recompression_and_in_single_precision_are_those_of_the_cpu) {
    const maker_pair plain("bumpy:8", {.recompress = false});
    plain.expect_like_the_cpu(plain.every(47));
    const maker_pair narrow("bumpy:8", {.single = true});
    narrow.expect_like_the_cpu(narrow.every(47));
}

TEST(leaves, have_entries_with_the_bits_of_the_cpu_where_quadrature_has_them) {
    const maker_pair m("bumpy:8", {.eps = 1e-4});
    std::size_t same = 0, near = 0;
    for (const block& leaf : m.every(31)) {
        if (leaf.admissible) continue;
        const elements own = m.by_kernel({leaf}).at(0).values;
        const elements expected = m.values_of(m.cpu.make(leaf, 0), leaf);
        for (std::size_t e = 0; e < own.size(); ++e) {
            ASSERT_NEAR(own[e], expected[e], 1e-13 * expected[e]);
            (own[e] == expected[e] ? same : near) += 1;
        }
    }
    EXPECT_GT(same, near);
}

TEST(leaves, have_the_same_bits_whatever_pools_and_order) {
    maker_pair m("bumpy:8", {});
    const std::vector<block> some = m.every(61);
    const std::vector<emulated_leaf> expected = m.by_kernel(some);
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{1} << 15})
        for (const unsigned order : {0u, 1u}) {
            m.how.chunk_bytes = chunk;
            const std::vector<emulated_leaf> made = m.by_kernel(some, order);
            for (std::size_t n = 0; n < some.size(); ++n) {
                EXPECT_EQ(made[n].rank, expected[n].rank) << n;
                EXPECT_TRUE(made[n].values == expected[n].values) << n;
            }
        }
}

}  // namespace
}  // namespace watari::hmatrix
