// GMRES, plain and flexible: solutions and endings.
#include "watari/krylov/gmres.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "krylov/alone.hpp"
#include "krylov/thread_counts.hpp"
#include "watari/krylov/bytes.hpp"
#include "watari/krylov/cg.hpp"

namespace watari::krylov {
namespace {

template <class T>
report solve_by_gmres(const problem<T>& given, const stopping& when = {},
                      const gmres_options& options = {}) {
    return gmres(given, room(given, gmres_bytes(given, options)), when, options).front();
}

class GmresOn : public testing::TestWithParam<processor> {};
INSTANTIATE_TEST_SUITE_P(Processors, GmresOn, testing::ValuesIn(processors()), processor_name);

template <class T>
void gmres_solves_any(processor who, double tolerance) {
    for (const std::size_t length : {1u, 2u, 33u, 140u}) {
        dense_system<T> system(who, length);
        system.fill_random(length, 2 * std::sqrt(double(length)) + 2);
        const report result =
            solve_by_gmres(system.problem(), {.relative = tolerance}, {.restart = 12});
        EXPECT_TRUE(result.converged()) << length << ": " << name_of(result.reason);
        EXPECT_LT(system.relative_residual(), 2 * tolerance) << length;
        EXPECT_GE(result.applications, result.iterations + result.iterations / 12);
    }
}

TEST_P(GmresOn, SolvesSystemsOfEveryType) {
    gmres_solves_any<double>(GetParam(), 1e-12);
    gmres_solves_any<complex<double>>(GetParam(), 1e-12);
    gmres_solves_any<float>(GetParam(), 2e-6);
    gmres_solves_any<complex<float>>(GetParam(), 2e-6);
}

TEST_P(GmresOn, EndsWithinAsManyIterationsAsThereAreUnknowns) {
    // a random matrix about 0, which is not positive definite
    dense_system<complex<double>> system(GetParam(), 50);
    system.fill_random(17, 0);
    const report result = solve_by_gmres(system.problem(), {.relative = 1e-9}, {.restart = 50});
    EXPECT_TRUE(result.converged()) << name_of(result.reason);
    EXPECT_LE(result.iterations, 50u);
    EXPECT_LT(system.relative_residual(), 2e-9);
}

TEST_P(GmresOn, TheResidualItReportsIsTheTrueOne) {
    dense_system<double> system(GetParam(), 100);
    system.fill_random(3, 12);
    const report result = solve_by_gmres(system.problem(), {.relative = 1e-30, .iterations = 9});
    EXPECT_EQ(result.reason, ending::limit);
    EXPECT_EQ(result.iterations, 9u);
    EXPECT_EQ(result.applications, 10u);
    EXPECT_NEAR(result.recursive_residual / result.true_residual, 1, 1e-12);
    EXPECT_NEAR(result.true_residual / result.norm_b, system.relative_residual(), 1e-14);
}

TEST_P(GmresOn, AnIterationIsAProductAndACycleOneMore) {
    dense_system<double> system(GetParam(), 100);
    system.fill_random(3, 12);
    problem<double> given = system.problem();
    std::size_t products = 0;
    given.from_zero = true;
    given.a.apply = [&, apply = given.a.apply](auto... all) { ++products, apply(all...); };
    EXPECT_EQ(solve_by_gmres(given, {.relative = 1e-30, .iterations = 9}).iterations, 9u);
    EXPECT_EQ(products, 10u);
    products = 0;
    solve_by_gmres(given, {.relative = 1e-30, .iterations = 9}, {.restart = 4});
    EXPECT_EQ(products, 12u);
    products = 0;
    solve_by_gmres(given, {.iterations = 0});
    EXPECT_EQ(products, 1u);
}

TEST_P(GmresOn, TakesAPreconditionerOnTheRight) {
    dense_system<complex<double>> system(GetParam(), 150);
    system.fill_random(5, 30);
    for (std::size_t i = 0; i < 150; ++i)
        for (std::size_t j = 0; j < 150; ++j)
            system.at(i, j) = system.at(i, j) * complex<double>(1.0 + double(j * j));
    problem<complex<double>> given = system.problem();
    given.m = system.diagonal();
    for (const bool flexible : {false, true}) {
        std::fill_n(system.x(), 150, complex<double>{});
        const report result =
            solve_by_gmres(given, {.relative = 1e-10}, {.restart = 10, .flexible = flexible});
        EXPECT_TRUE(result.converged());
        EXPECT_LT(result.iterations, 60u);
        EXPECT_LT(system.relative_residual(), 2e-10) << flexible;
    }
}

TEST_P(GmresOn, FlexibleItTakesAnInnerSolveOfAnyAccuracy) {
    dense_system<double> system(GetParam(), 200);
    system.fill_positive(5, 0.02);
    problem<double> given = system.problem(), inner = system.problem();
    const workspace inner_memory = room(inner, cg_bytes(inner));
    std::size_t called = 0;
    given.m = [&](double* z, const double* r, std::size_t, stream_t) {
        inner.b = r;
        inner.x = z;
        inner.from_zero = true;
        cg(inner, inner_memory, {.relative = ++called % 2 ? 0.2 : 0.05});
    };
    const report result =
        solve_by_gmres(given, {.relative = 1e-11}, {.restart = 20, .flexible = true});
    EXPECT_TRUE(result.converged()) << name_of(result.reason);
    EXPECT_LT(system.relative_residual(), 2e-11);
    EXPECT_LT(result.iterations, 30u);
}

TEST_P(GmresOn, ManySystemsAreSolvedAsEachAlone) {
    constexpr std::size_t length = 300, many = 4;
    dense_system<complex<double>> all(GetParam(), length, many);
    all.fill_random(3, 45);
    std::fill_n(all.b(1), length, complex<double>{});
    std::fill_n(all.x(2), length, complex<double>{1});
    const problem<complex<double>> given = all.problem();
    const gmres_options options{.restart = 7};
    const workspace memory = room(given, gmres_bytes(given, options));
    const reports result = gmres(given, memory, {.relative = 1e-9}, options);
    expect_the_same_alone(all, result, {{}, {}, {1}, {}}, [&](const auto& one) {
        return gmres(one, memory, {.relative = 1e-9}, options).front();
    });
}

TEST(Gmres, TheBitsDependOnNoThreadCount) {
    dense_system<double> system(the_cpu, 150);
    system.fill_random(4, 40);
    expect_the_same_bits(system, [](const auto& given) { solve_by_gmres(given); });
}

TEST_P(GmresOn, EndsWhereThereIsNoWayOn) {
    constexpr std::size_t length = 24;  // a ring of shifts: no gain before the last column
    dense_system<double> shift(GetParam(), length);
    for (std::size_t i = 0; i < length; ++i) shift.at(i, (i + 1) % length) = 1;
    shift.b()[0] = 1;
    EXPECT_EQ(solve_by_gmres(shift.problem(), {}, {.restart = 10}).reason, ending::stagnation);
    EXPECT_TRUE(solve_by_gmres(shift.problem(), {}, {.restart = 24}).converged());
    dense_system<double> singular(GetParam(), 3);
    singular.at(0, 0) = singular.at(1, 1) = 2;
    singular.b()[0] = singular.b()[1] = 1;
    EXPECT_TRUE(solve_by_gmres(singular.problem()).converged()) << "a solution exists";
    EXPECT_LT(singular.relative_residual(), 1e-10);
    singular.b()[2] = 1;
    const report never = solve_by_gmres(singular.problem());
    EXPECT_TRUE(never.reason == ending::breakdown || never.reason == ending::stagnation)
        << name_of(never.reason);
    EXPECT_TRUE(singular.x_is_finite());
}

TEST_P(GmresOn, NumbersThatAreNoneAreNoSuccess) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    dense_system<double> system(GetParam(), 20);
    system.fill_random(1, 10);
    system.at(3, 3) = nan;
    problem<double> given = system.problem();
    given.from_zero = true;
    EXPECT_EQ(solve_by_gmres(given).reason, ending::breakdown) << "NaN in A";
    EXPECT_TRUE(system.x_is_finite());
    system.at(3, 3) = 10;
    system.b()[3] = nan;
    EXPECT_EQ(solve_by_gmres(given).reason, ending::breakdown) << "NaN in b";
    std::fill_n(system.b(), 20, 0.0);
    const report zero = solve_by_gmres(system.problem());
    EXPECT_TRUE(zero.converged());
    EXPECT_EQ(zero.iterations, 0u);
    EXPECT_THROW(solve_by_gmres(given, {}, {.restart = 0}), usage_error);
}

TEST(Gmres, AnIterationMovesWhatItsHeadSays) {
    for (std::size_t j = 0; j < 30; ++j) EXPECT_EQ(gmres_step_traffic(j).vectors(), 4 * j + 12);
}

}  // namespace
}  // namespace watari::krylov
