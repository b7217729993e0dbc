// Test matrices: double loops give the product that they expect, and every wrong element counts.
#include "../native/operand.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

namespace watari::gemm {
namespace {

constexpr shape size{37, 29, 53};

template <class Element>
std::vector<Element> whole(const operands& made, matrix which) {
    const tiling t = tiling_of(which, size, 1);
    std::vector<Element> data(t.rows * t.columns);
    made.fill_rows(which, {0, t.rows, 0, t.columns}, data.data(), t.columns);
    return data;
}

/// Returns alpha A B + beta C with l from `first` to `last`, summed in double and rounded once.
template <class Element>
std::vector<Element> product(const operands& made, double alpha, double beta, std::size_t first = 0,
                             std::size_t last = size.k) {
    const auto a = whole<Element>(made, matrix::a), b = whole<Element>(made, matrix::b);
    auto c = whole<Element>(made, matrix::c);
    for (std::size_t i = 0; i < size.m; ++i)
        for (std::size_t j = 0; j < size.n; ++j) {
            double sum = 0;
            for (std::size_t l = first; l < last; ++l)
                sum += static_cast<double>(a[i * size.k + l]) * b[l * size.n + j];
            Element& to = c[i * size.n + j];
            to = static_cast<Element>(alpha * sum + beta * to);
        }
    return c;
}

constexpr region everything{0, size.m, 0, size.n};

template <class Element>
class GemmOperands : public testing::Test {
protected:
    const operands made{
        size, sizeof(Element) == 4 ? precision::single_precision : precision::double_precision, 42};
};

using elements = testing::Types<float, double>;
TYPED_TEST_SUITE(GemmOperands, elements);

TYPED_TEST(GemmOperands, TheirProductIsExpected) {
    for (const auto& [alpha, beta] :
         {std::pair{1.0, 0.0}, {1.0, 1.0}, {0.0, 1.0}, {0.0, 0.0}, {-2.0, 3.0}, {0.3, -0.7}}) {
        const auto c = product<TypeParam>(this->made, alpha, beta);
        EXPECT_EQ(this->made.wrong_elements(alpha, beta, everything, c.data(), size.n), 0u);
        const bool integral = alpha == std::trunc(alpha);
        EXPECT_EQ(this->made.tolerance(alpha, beta) == 0, integral);
    }
}

TYPED_TEST(GemmOperands, EveryWrongElementCounts) {
    auto c = product<TypeParam>(this->made, 1, 1);
    c[0] += 1;
    c[size.n * size.m - 1] = std::numeric_limits<TypeParam>::quiet_NaN();
    c[size.n + 3] = std::numeric_limits<TypeParam>::infinity();
    EXPECT_EQ(this->made.wrong_elements(1, 1, everything, c.data(), size.n), 3u);
    EXPECT_EQ(this->made.wrong_elements(1, 1, {0, 1, 0, size.n}, c.data(), size.n), 1u);
    EXPECT_EQ(this->made.wrong_elements(1, 1, {1, 1, 2, 2}, c.data() + size.n + 2, size.n), 1u);
}

TYPED_TEST(GemmOperands, AMissingTileSpoilsEveryElement) {
    for (const double alpha : {1.0, 0.3}) {
        const auto c = product<TypeParam>(this->made, alpha, 1, 0, size.k - 4);
        EXPECT_EQ(this->made.wrong_elements(alpha, 1, everything, c.data(), size.n),
                  size.m * size.n);
    }
    const auto c = product<TypeParam>(this->made, 1, 0);  // without C
    EXPECT_EQ(this->made.wrong_elements(1, 1, everything, c.data(), size.n), size.m * size.n);
}

TYPED_TEST(GemmOperands, ARegionIsThatPartOfTheWhole) {
    for (const matrix which : {matrix::a, matrix::b, matrix::c}) {
        const tiling t = tiling_of(which, size, 1);
        const auto all = whole<TypeParam>(this->made, which);
        const region where{5, 7, 11, 13};
        std::vector<TypeParam> part(where.rows * 20, -9);
        this->made.fill_rows(which, where, part.data(), 20);
        for (std::size_t i = 0; i < where.rows; ++i)
            for (std::size_t j = 0; j < 20; ++j)
                ASSERT_EQ(part[i * 20 + j],
                          j < 13 ? all[(5 + i) * t.columns + 11 + j] : TypeParam(-9));
    }
}

TYPED_TEST(GemmOperands, AreSmallIntegersThatDifferByPlaceAndSeed) {
    const operands other(size, precision::single_precision, 43);
    for (const matrix which : {matrix::a, matrix::b, matrix::c}) {
        const auto data = whole<TypeParam>(this->made, which);
        const std::set<TypeParam> values(data.begin(), data.end());
        EXPECT_GE(values.size(), 8u);
        for (const TypeParam value : values) {
            EXPECT_EQ(value, std::trunc(value));
            EXPECT_NE(value, 0);
            EXPECT_LE(std::abs(value), 9);
        }
        const auto second = whole<float>(other, which);
        EXPECT_FALSE(std::equal(data.begin(), data.end(), second.begin()));
    }
}

TEST(GemmOperandsTolerance, BeginsWhereFloatEnds) {
    const operands large({1, 1, 400'000}, precision::single_precision, 1);
    EXPECT_EQ(large.tolerance(1, 1), 0);
    EXPECT_GT(large.tolerance(2, 1), 0);
    const operands beyond({1, 1, 500'000}, precision::single_precision, 1);
    EXPECT_GT(beyond.tolerance(1, 0), 0);
    EXPECT_LT(beyond.tolerance(1, 0), 512.0 / 500'000) << "a tile left out would not be seen";
    const operands scaled({1, 1, 300'000}, precision::single_precision, 1);
    EXPECT_LT(scaled.tolerance(0.3, 0), 128.0 / 300'000) << "a tile left out would not be seen";
    const operands in_double({1, 1, 500'000}, precision::double_precision, 1);
    EXPECT_EQ(in_double.tolerance(1, 0), 0);
}

}  // namespace
}  // namespace watari::gemm
