// Sums of pieces: one tree for any number of threads, any split among ranks and any processor.
#include "watari/core/parallel/reductions.hpp"
#include "watari/core/threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "watari/core/complex.hpp"

namespace watari {
namespace {

std::vector<double> random_values(std::size_t count) {
    std::mt19937_64 random(count);
    std::normal_distribution<double> normal;
    std::vector<double> all(count);
    for (double& value : all) value = normal(random) * std::exp(5 * normal(random));
    return all;
}

/// Partial sums of x and x^2, with room for the tree.
std::vector<double> partials_of(const pieces& range, const std::vector<double>& values) {
    std::vector<double> partials(partial_doubles(range.each(), range.systems, 2), NAN);
    double* const to = partials.data();
    const double* const data = values.data();
    cpu::for_each_piece(
        range,
        [=](const cpu::piece& own) {
            own.sum<2>(to, [=](std::size_t i) {
                return cpu::sums<2>{{data[i], data[i] * data[i]}};
            });
        },
        nullptr);
    return partials;
}

std::vector<double> totals_of(const pieces& range, const std::vector<double>& values) {
    std::vector<double> partials = partials_of(range, values), totals(2 * range.systems);
    cpu::add_partials(totals.data(), partials.data(), range.each(), range.systems, 2, nullptr);
    return totals;
}

TEST(Reductions, OfAnyLengthAreTheSums) {
    for (const std::size_t length : {1u, 31u, 32u, 33u, 255u, 256u, 257u, 5000u, 40000u})
        for (const std::size_t piece : {1u, 7u, 32u, 256u, 100000u}) {
            const pieces range{length, 3, piece};
            const std::vector<double> values = random_values(3 * length);
            const std::vector<double> totals = totals_of(range, values);
            for (std::size_t s = 0; s < 3; ++s) {
                long double sum = 0, squares = 0, sizes = 0;
                for (std::size_t i = 0; i < length; ++i) {
                    const long double value = values[s * length + i];
                    sum += value, squares += value * value, sizes += std::abs(value);
                }
                EXPECT_NEAR(totals[2 * s], double(sum), 1e-14 * double(sizes)) << length;
                EXPECT_NEAR(totals[2 * s + 1] / double(squares), 1, 1e-13) << length;
            }
        }
}

TEST(Reductions, OfNothingAreZero) { EXPECT_EQ(totals_of({0, 2}, {}), std::vector<double>(4)); }

TEST(Reductions, AreTheSameToTheBitWhateverTheThreads) {
    const pieces range{70001, 2, 32};
    const std::vector<double> values = random_values(140002);
    cpu::set_threads(1);
    const std::vector<double> one = totals_of(range, values);
    for (int threads = 2; threads <= 8; ++threads) {
        cpu::set_threads(threads);
        EXPECT_EQ(totals_of(range, values), one) << threads;
    }
    cpu::set_threads(2);
}

/// A grid of rows x 64 with a piece for each row. Every rank has some whole rows, and its partial
/// sums are gathered by their numbers.
TEST(Reductions, AreTheSameToTheBitHoweverWholePiecesAreDivided) {
    constexpr std::size_t rows = 3000, row = 64, systems = 2;
    const std::vector<double> values = random_values(rows * row * systems);
    const std::vector<double> whole = totals_of({rows * row, systems, row}, values);
    for (const std::size_t ranks : {1u, 2u, 3u, 4u, 5u, 8u}) {
        std::vector<double> ordered(partial_doubles(rows, systems, 2), NAN);
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            std::vector<std::size_t> numbers;  // scattered: every rank has each ranks-th row
            for (std::size_t i = rank; i < rows; i += ranks) numbers.push_back(i);
            std::reverse(numbers.begin(), numbers.end());
            std::vector<double> own;
            for (std::size_t s = 0; s < systems; ++s)
                for (const std::size_t i : numbers)
                    own.insert(own.end(), &values[(s * rows + i) * row],
                               &values[(s * rows + i) * row] + row);
            const std::vector<double> gathered =
                partials_of({numbers.size() * row, systems, row}, own);
            cpu::order_partials(ordered.data(), rows, gathered.data(), numbers.data(),
                                numbers.size(), systems, 2, nullptr);
        }
        std::vector<double> totals(2 * systems);
        cpu::add_partials(totals.data(), ordered.data(), rows, systems, 2, nullptr);
        EXPECT_EQ(totals, whole) << ranks << " ranks";
    }
}

TEST(Complex, DividesWithoutOverflow) {
    const complex<double> large{1e200, 1e200}, small{3e-200, -4e-200};
    EXPECT_EQ(large / large, complex<double>(1));
    EXPECT_EQ((large * complex<double>(2)) / large, complex<double>(2));
    EXPECT_EQ(small / small, complex<double>(1));
    const complex<double> a{1, 2}, b{3, -4}, quotient = a / b;
    EXPECT_NEAR(quotient.re, -0.2, 1e-16);
    EXPECT_NEAR(quotient.im, 0.4, 1e-16);
    EXPECT_EQ(conjugate(b), complex<double>(3, 4));
    EXPECT_EQ(squared_size(b), 25);
}

}  // namespace
}  // namespace watari
