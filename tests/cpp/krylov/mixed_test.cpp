// CG and BiCGStab with float inside: double's accuracy, and fewer products in double.
#include "watari/krylov/mixed.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "krylov/dense.hpp"
#include "watari/krylov/bicgstab.hpp"
#include "watari/krylov/cg.hpp"

namespace watari::krylov {
namespace {

/// A system and its matrix in low precision.
template <class T>
struct mixed_system {
    using L = lower<T>;

    mixed_system(processor who, std::size_t length, std::size_t systems = 1)
        : high(who, length, systems), low(who, length, systems) {}

    void copy() { low.copy_matrix(high); }
    problem<T> given() {
        problem<T> all = high.problem();
        all.a.apply = [this, inner = all.a.apply](T* y, const T* x, std::size_t systems,
                                                  stream_t stream) {
            ++products;
            inner(y, x, systems, stream);
        };
        return all;
    }
    low_precision<T> inside() { return {.a = low.problem().a}; }

    dense_system<T> high;
    dense_system<L> low;
    std::size_t products = 0;  ///< products in double
};

template <class T>
report solve_cg(mixed_system<T>& system, const low_precision<T>& low, const stopping& when) {
    const problem<T> given = system.given();
    return cg_mixed(given, low, room(given, cg_mixed_bytes(given, low)), when).front();
}

template <class T>
report solve_bicgstab(mixed_system<T>& system, const low_precision<T>& low, const stopping& when) {
    const problem<T> given = system.given();
    return bicgstab_mixed(given, low, room(given, bicgstab_mixed_bytes(given, low)), when).front();
}

class MixedOn : public testing::TestWithParam<processor> {};
INSTANTIATE_TEST_SUITE_P(Processors, MixedOn, testing::ValuesIn(processors()), processor_name);

template <class T>
void reaches_double(processor who) {
    constexpr std::size_t length = 200;
    mixed_system<T> positive(who, length), any(who, length);
    positive.high.fill_positive(3, 0.5);
    positive.copy();
    any.high.fill_random(4, 35);
    any.copy();
    const stopping when{.relative = 1e-13};
    const report cg_told = solve_cg(positive, positive.inside(), when);
    EXPECT_TRUE(cg_told.converged()) << name_of(cg_told.reason);
    EXPECT_LT(positive.high.relative_residual(), 1.5e-13);
    EXPECT_LT(positive.products, cg_told.iterations / 2);
    const report result = solve_bicgstab(any, any.inside(), when);
    EXPECT_TRUE(result.converged()) << name_of(result.reason);
    EXPECT_LT(any.high.relative_residual(), 1.5e-13);
    EXPECT_LT(any.products, result.applications);
    // nearly as few iterations as in double
    std::fill_n(positive.high.x(), length, T{});
    const problem<T> plain = positive.high.problem();
    EXPECT_LE(cg_told.iterations,
              cg(plain, room(plain, cg_bytes(plain)), when).front().iterations * 5 / 4);
}

TEST_P(MixedOn, ReachesTheAccuracyOfDouble) {
    reaches_double<double>(GetParam());
    reaches_double<complex<double>>(GetParam());
}

TEST_P(MixedOn, TakesPreconditionersGuessesAndNumbersBeyondFloat) {
    constexpr std::size_t length = 150;
    mixed_system<double> system(GetParam(), length);
    system.high.fill_positive(7, 0.3);
    for (std::size_t i = 0; i < length; ++i)
        for (std::size_t j = 0; j < length; ++j)
            system.high.at(i, j) *= (1.0 + double(i)) * (1.0 + double(j));
    for (std::size_t i = 0; i < length; ++i) system.high.b()[i] *= 1e-60;  // 0 as a float
    system.copy();
    low_precision<double> low = system.inside();
    low.m = system.low.diagonal();
    const report result = solve_cg(system, low, {.relative = 1e-12});
    EXPECT_TRUE(result.converged()) << name_of(result.reason);
    EXPECT_LT(system.high.relative_residual(), 2e-12);
    for (std::size_t i = 0; i < length; ++i) system.high.x()[i] *= 1 + 1e-5;
    const report again = solve_bicgstab(system, low, {.relative = 1e-10});
    EXPECT_TRUE(again.converged()) << name_of(again.reason);
    EXPECT_LT(system.high.relative_residual(), 2e-10);
}

TEST_P(MixedOn, SystemsEndEachInItsTime) {
    constexpr std::size_t length = 180, many = 4;
    mixed_system<complex<double>> all(GetParam(), length, many);
    all.high.fill_random(9, 30);
    all.copy();
    std::fill_n(all.high.b(1), length, complex<double>{});
    std::fill_n(all.high.x(1), length, complex<double>{5});
    const problem<complex<double>> given = all.given();
    const low_precision<complex<double>> low = all.inside();
    const workspace memory = room(given, bicgstab_mixed_bytes(given, low));
    const reports result = bicgstab_mixed(given, low, memory, {.relative = 1e-13});
    for (const std::size_t s : {0, 2, 3}) {
        EXPECT_TRUE(result[s].converged()) << s;
        const std::vector<complex<double>> together = all.high.solution(s);
        std::fill_n(all.high.x(s), length, complex<double>{});
        problem<complex<double>> one = given;
        one.systems = 1;
        one.b = all.high.b(s);
        one.x = all.high.x(s);
        EXPECT_EQ(bicgstab_mixed(one, low, memory, {.relative = 1e-13}).front().iterations,
                  result[s].iterations);
        EXPECT_TRUE(all.high.solution(s) == together) << s;
    }
    EXPECT_TRUE(result[1].converged());
    EXPECT_TRUE(all.high.solution(1) == std::vector<complex<double>>(length));
}

TEST_P(MixedOn, ReportsWhatItCannotReach) {
    mixed_system<double> system(GetParam(), 60);
    system.high.fill_positive(3, 0.5);
    system.copy();
    const low_precision<double> low = system.inside();
    const report never = solve_cg(system, low, {.relative = 1e-19, .stagnation = 40});
    EXPECT_EQ(never.reason, ending::stagnation);
    EXPECT_LT(system.high.relative_residual(), 1e-13) << "what could be reached";
    EXPECT_EQ(solve_bicgstab(system, low, {.relative = 1e-19, .iterations = 3}).reason,
              ending::limit);
    system.low.at(5, 5) = std::numeric_limits<float>::quiet_NaN();
    std::fill_n(system.high.x(), 60, 0.0);
    EXPECT_EQ(solve_cg(system, low, {}).reason, ending::breakdown);
    EXPECT_TRUE(system.high.x_is_finite());
    EXPECT_THROW(solve_cg(system, {.a = low.a, .delta = 1}, {}), usage_error);
}

}  // namespace
}  // namespace watari::krylov
