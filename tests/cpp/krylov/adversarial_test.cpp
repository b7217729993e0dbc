// Systems that solvers cannot solve, or barely: each solver ends, reports the truth and does not
// harm x.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "krylov/every_solver.hpp"
#include "watari/core/threads.hpp"

namespace watari::krylov {
namespace {

template <class T>
bool is_number(const T& value) {
    if constexpr (is_complex<T>)
        return std::isfinite(double(value.re)) && std::isfinite(double(value.im));
    else
        return std::isfinite(double(value));
}

/// Fills a system with the matrix of a number, entries about 1. Returns a description.
template <class T>
std::string fill(dense_system<T>& system, unsigned kind) {
    const std::size_t n = system.length();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::fill_n(system.matrix(), n * n, T{});
    switch (kind) {
        case 0:
            system.fill_b(1);
            return "zero";
        case 1:
            system.fill_positive(2, 0.5);
            return "positive";
        case 2:
            system.fill_random(3, 0);
            return "indefinite";
        case 3:
            system.fill_positive(4, 0);
            for (std::size_t i = 0; i < n; ++i) system.at(i, i) = T(wide<T>(-1)) * system.at(i, i);
            return "negative diagonal";
        case 4:  // equal rows: rank 1
            system.fill_random(5, 1);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j) system.at(i, j) = system.at(0, j);
            return "rank 1";
        case 5:
            system.fill_positive(6, 0.5);
            for (std::size_t i = 0; i < n; ++i) system.at(n - 1, i) = system.at(i, n - 1) = T{};
            return "a row and column of zeros";
        case 6:  // ones above the diagonal
            system.fill_b(7);
            for (std::size_t i = 0; i + 1 < n; ++i) system.at(i, i + 1) = T(wide<T>(1));
            return "nilpotent";
        case 7:
            system.fill_b(8);
            for (std::size_t i = 0; i < n; ++i) {
                system.at(i, (i + 1) % n) += T(wide<T>(1));
                system.at((i + 1) % n, i) -= T(wide<T>(1));
            }
            return "skew";
        case 8:
            system.fill_positive(9, 1);
            system.at(n / 2, n / 3) = T(wide<T>(nan));
            return "with a NaN";
        case 9:
            system.fill_positive(10, 1);
            system.at(n / 2, n / 2) = T(wide<T>(std::numeric_limits<double>::infinity()));
            return "with an infinity";
        case 10:  // condition 1e16
            system.fill_b(11);
            for (std::size_t i = 0; i < n; ++i)
                system.at(i, i) = T(wide<T>(std::pow(10, -16.0 * double(i) / double(n))));
            return "nearly singular";
        default:
            system.fill_random(12, 10);
            return "easy";
    }
}
constexpr unsigned kinds = 12;
constexpr unsigned with_nan = 8, with_infinity = 9, positive = 1, easy = 11;

/// |b - A x| in long double, and the same norm with absolute values of all terms: a bound on the
/// rounding error grows with it.
template <class T>
std::pair<double, double> residual(dense_system<T>& system) {
    using L = long double;
    L left = 0, size = 0;
    for (std::size_t i = 0; i < system.length(); ++i) {
        L re, im = 0, all;
        const auto b = widen(system.b()[i]);
        re = real_part(b);
        if constexpr (is_complex<T>) im = b.im;
        all = std::hypot(re, im);
        for (std::size_t j = 0; j < system.length(); ++j) {
            const auto a = widen(system.at(i, j)), x = widen(system.x()[j]);
            if constexpr (is_complex<T>) {
                re -= L(a.re) * x.re - L(a.im) * x.im;
                im -= L(a.re) * x.im + L(a.im) * x.re;
                all += std::hypot(L(a.re), L(a.im)) * std::hypot(L(x.re), L(x.im));
            } else {
                re -= L(a) * x;
                all += std::abs(L(a) * x);
            }
        }
        left += re * re + im * im;
        size += all * all;
    }
    return {double(std::sqrt(left)), double(std::sqrt(size))};
}

template <class T>
void scale(dense_system<T>& system, double a_size, double b_size) {
    const std::size_t n = system.length();
    for (std::size_t i = 0; i < n * n; ++i)
        system.matrix()[i] = T(wide<T>(a_size) * widen(system.matrix()[i]));
    for (std::size_t i = 0; i < n; ++i) system.b()[i] = T(wide<T>(b_size) * widen(system.b()[i]));
}

template <class T>
bool x_is_number(dense_system<T>& system) {
    return std::all_of(system.x(), system.x() + system.length() * system.systems(), is_number<T>);
}

/// Expects that a solver's report of a system is true.
template <class T>
void expect_truth(dense_system<T>& system, const report& told, double relative) {
    const auto [left, size] = residual(system);
    const double epsilon = sizeof(T) < sizeof(wide<T>) ? 1.2e-7 : 2.3e-16;
    const double error = 4 * double(system.length()) * epsilon * size;
    if (told.converged()) {
        EXPECT_LE(left, 10.001 * relative * told.norm_b + error);
    }
    if (std::isfinite(told.true_residual) && left > 1e-150) {  // its square is a number
        EXPECT_NEAR(told.true_residual, left, error + 1e-6 * left);
    }
}

template <class T>
void none_lies(double a_size, double b_size, std::size_t length, double relative) {
    for (unsigned kind = 0; kind < kinds; ++kind)
        for (const named_solver<T>& by : solvers<T>()) {
            dense_system<T> system(the_cpu, length);
            const std::string what = fill(system, kind);
            scale(system, a_size, b_size);
            SCOPED_TRACE(by.name + ", " + what + " of " + std::to_string(length) + ", A 1e" +
                         std::to_string(std::lround(std::log10(a_size))) + ", b 1e" +
                         std::to_string(std::lround(std::log10(b_size))) + ", tolerance " +
                         std::to_string(relative));
            const stopping when{.relative = relative, .iterations = 300, .stagnation = 60};
            const report told = by.solve(system, when).front();
            EXPECT_NE(told.reason, ending::running);
            EXPECT_LE(told.iterations, 300u);
            if (kind == with_nan || kind == with_infinity) {
                EXPECT_FALSE(told.converged());
                EXPECT_TRUE(x_is_number(system)) << "harmed x";
                continue;
            }
            // without a solution x grows: CG notices by its residual, GMRES takes no such step
            if (a_size == 1 && b_size == 1 && !by.name.starts_with("bicgstab") &&
                !by.name.ends_with("mixed")) {
                EXPECT_TRUE(x_is_number(system)) << "no number: " << name_of(told.reason);
            }
            if (kind == easy && relative > 0 && a_size == 1 && b_size == 1 && by.any) {
                EXPECT_TRUE(told.converged()) << name_of(told.reason);
            }
            expect_truth(system, told, relative);
        }
}

using sizes = std::vector<std::pair<double, double>>;

template <class T>
void none_lies_at(const sizes& all, const std::vector<std::size_t>& lengths, double relative) {
    cpu::set_threads(1);
    for (const auto& [a, b] : all)
        for (const std::size_t length : lengths) none_lies<T>(a, b, length, relative);
    cpu::set_threads(2);
}

template <class T>
class Adversarial : public testing::Test {
protected:
    static constexpr bool is_single = sizeof(T) < sizeof(wide<T>);
    static constexpr double reached = is_single ? 1e-5 : 1e-10;
};
using scalars = testing::Types<float, double, complex<float>, complex<double>>;
TYPED_TEST_SUITE(Adversarial, scalars);

TYPED_TEST(Adversarial, NoSolverHangsOrLies) {
    for (const double relative : {this->reached, 0.0})
        none_lies_at<TypeParam>({{1, 1}}, {1, 2, 7, 20}, relative);
}

TYPED_TEST(Adversarial, NumbersAtTheEndsOfTheirRange) {
    const sizes single{{1e-36, 1}, {1e36, 1}, {1, 1e-36}, {1, 1e36}, {1e-38, 1e38}, {1e38, 1e-38}};
    const sizes twice{{1e-300, 1},     {1e300, 1},     {1, 1e-300},     {1, 1e300},
                      {1e-300, 1e300}, {1e300, 1e300}, {1e-150, 1e150}, {1e-140, 1e-140}};
    none_lies_at<TypeParam>(this->is_single ? single : twice, {1, 7}, this->reached);
}

TYPED_TEST(Adversarial, ASystemThatFailsLeavesTheOthersAlone) {
    using T = TypeParam;
    constexpr std::size_t length = 20, many = 6;
    cpu::set_threads(1);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const unsigned kind : {positive, easy, 2u}) {
        dense_system<T> all(the_cpu, length, many);
        const std::string what = fill(all, kind);
        std::fill_n(all.b(1), length, T{});
        all.b(2)[7] = T(wide<T>(nan));
        all.b(3)[19] = T(wide<T>(std::numeric_limits<double>::infinity()));
        for (std::size_t i = 0; i < length; ++i) all.b(4)[i] = T(wide<T>(1e-30 * double(i)));
        for (const named_solver<T>& by : solvers<T>()) {
            SCOPED_TRACE(by.name + ", " + what);
            const stopping when{.relative = this->reached, .iterations = 60};
            std::fill_n(all.x(), length * many, T{});
            const reports together = by.solve(all, when);
            EXPECT_TRUE(together[1].converged());
            EXPECT_EQ(together[2].reason, ending::breakdown);
            EXPECT_EQ(together[3].reason, ending::breakdown);
            EXPECT_TRUE(x_is_number(all));
            for (std::size_t s = 0; s < many; ++s) {
                dense_system<T> one(the_cpu, length);
                std::copy_n(all.matrix(), length * length, one.matrix());
                std::copy_n(all.b(s), length, one.b());
                const report alone = by.solve(one, when).front();
                EXPECT_EQ(alone.reason, together[s].reason) << s;
                EXPECT_EQ(alone.iterations, together[s].iterations) << s;
                EXPECT_TRUE(one.solution() == all.solution(s)) << s;
            }
        }
    }
    cpu::set_threads(2);
}

TEST(Emptiness, NothingToSolveIsSolved) {
    problem<double> nothing;
    nothing.a.apply = [](double*, const double*, std::size_t, stream_t) {};
    EXPECT_TRUE(by_cg(nothing).front().converged());
    EXPECT_TRUE(by_bicgstab(nothing).front().converged());
    EXPECT_TRUE(by_gmres(nothing).front().converged());
    nothing.systems = 0;
    EXPECT_THROW(cg_bytes(nothing), usage_error);
}

}  // namespace
}  // namespace watari::krylov
