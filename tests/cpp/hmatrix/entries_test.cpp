#include "watari/hmatrix/build/entries.hpp"
#include "hmatrix/matrices.hpp"
#include "watari/hmatrix/build/vectors.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace watari::hmatrix {
namespace {

TEST(entries, of_rows_and_columns_keep_the_tolerance) {
    for (const char* name : {"cube:6", "bumpy:7"}) {
        const std::vector<panel> panels = panels_of(shape(name));
        const std::size_t n = panels.size();
        for (const double tolerance : {1e-3, 1e-7, 1e-11}) {
            const entry_table entries(panels, tolerance);
            const potential exact(std::max(1e-12, tolerance / 100));
            std::vector<double> run(n);
            std::size_t by_rules = 0;
            for (std::size_t i = 0; i < n; i += 37)
                for (const bool row : {true, false})
                    for (const std::size_t first : {std::size_t{0}, i % 29}) {
                        const std::size_t count = n - first;
                        row ? entries.row(i, first, count, run.data())
                            : entries.column(i, first, count, run.data());
                        for (std::size_t k = 0; k < count; ++k) {
                            const std::size_t at = row ? i : first + k, of = row ? first + k : i;
                            const double value = exact(panels[of], panels[at].centroid);
                            ASSERT_NEAR(run[k], value, 1.1 * tolerance * value) << at << " " << of;
                            by_rules += run[k] != value;
                        }
                    }
            EXPECT_GT(by_rules, 0u);
        }
    }
}

TEST(vectors, have_the_sums_of_plain_loops) {
    for (std::size_t n = 0; n < 40; ++n)
        for (std::size_t count = 0; count < 10; ++count) {
            std::vector<double> a = random_vector(n, 1);
            const std::vector<double> b = random_vector(n, 2),
                                      vectors = random_vector(n * count, 3),
                                      factors = random_vector(3 * count + 1, 4);
            double sum = 0;
            std::vector<double> left = a;
            for (std::size_t i = 0; i < n; ++i) {
                sum += a[i] * b[i];
                for (std::size_t r = 0; r < count; ++r)
                    left[i] -= factors[3 * r] * vectors[r * n + i];
            }
            EXPECT_NEAR(dot_of(a.data(), b.data(), n), sum, 1e-13);
            subtract_all(a.data(), factors.data(), 3, vectors.data(), count, n);
            for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(a[i], left[i], 1e-13);
        }
}

}  // namespace
}  // namespace watari::hmatrix
