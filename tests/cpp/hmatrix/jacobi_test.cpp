#include "watari/hmatrix/product/jacobi.hpp"
#include "hmatrix/matrices.hpp"
#include "watari/core/error.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace watari::hmatrix {
namespace {

TEST(jacobi, inverts_the_diagonal_blocks) {
    const built m("bumpy:4");
    const block_jacobi inverse(m.path, m.index, the_cpu);
    const std::size_t n = m.size();
    const std::vector<double> x = random_vector(2 * n);
    std::vector<double> b(2 * n), z(2 * n);
    const leaf_maker exact(m.of.panels, {.eps = 1e-11});
    for (const block& leaf : leaves_of(m.of.tree, 2)) {
        if (leaf.row != leaf.column || leaf.rows != leaf.columns) continue;
        for (std::size_t s = 0; s < 2; ++s)
            for (std::size_t i = leaf.row; i < leaf.row + leaf.rows; ++i)
                for (std::size_t j = leaf.row; j < leaf.row + leaf.rows; ++j)
                    b[s * n + i] += exact.entry(i, j) * x[s * n + j];
    }
    inverse.apply(z.data(), b.data(), 2, nullptr);
    EXPECT_LE(difference(z, x), 1e-5);
}

TEST(jacobi, refuses_damaged_blocks) {
    const built m("bumpy:4");
    const auto first = std::ranges::find_if(m.index.leaves, [](const leaf_record& leaf) {
        return leaf.row == leaf.column && leaf.rank == dense;
    });
    overwrite(m.path, first->offset + 8, "\x55");
    EXPECT_THROW(block_jacobi(m.path, m.index, the_cpu), file_error);
    ASSERT_EQ(truncate(m.path.c_str(), static_cast<off_t>(first->offset)), 0);
    EXPECT_THROW(block_jacobi(m.path, m.index, the_cpu), file_error);
}

}  // namespace
}  // namespace watari::hmatrix
