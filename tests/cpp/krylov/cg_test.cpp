// CG: solutions, endings, and the same bits on any number of threads.
#include "watari/krylov/cg.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "krylov/alone.hpp"
#include "krylov/thread_counts.hpp"
#include "watari/measure/hold.hpp"

namespace watari::krylov {
namespace {

template <class T>
report solve_by_cg(const problem<T>& given, const stopping& when = {}) {
    return cg(given, room(given, cg_bytes(given)), when).front();
}

template <class T>
report solve_by_cg(dense_system<T>& system, const stopping& when = {}) {
    return solve_by_cg(system.problem(), when);
}

/// Enqueues a fixed number of iterations, and waits for their result.
template <class T>
report enqueued(dense_system<T>& system, std::size_t iterations) {
    const problem<T> given = system.problem();
    const workspace memory = room(given, cg_bytes(given));
    enqueue_cg(given, memory, iterations);
    return cg_result(given, memory).front();
}

class CgOn : public testing::TestWithParam<processor> {};
INSTANTIATE_TEST_SUITE_P(Processors, CgOn, testing::ValuesIn(processors()), processor_name);

template <class T>
void solves_positive(processor who, double tolerance) {
    for (const std::size_t length : {1u, 2u, 33u, 140u}) {
        dense_system<T> system(who, length);
        system.fill_positive(length, 0.5);
        const report result = solve_by_cg(system, {.relative = tolerance});
        EXPECT_TRUE(result.converged()) << length << ": " << name_of(result.reason);
        EXPECT_LT(system.relative_residual(), 3 * tolerance) << length;
        EXPECT_NEAR(result.true_residual / result.norm_b, system.relative_residual(), tolerance);
        EXPECT_LE(result.recursive_residual, tolerance * result.norm_b);
        EXPECT_LE(result.iterations, length + 5);
        EXPECT_EQ(result.applications, result.iterations);
    }
}

TEST_P(CgOn, SolvesPositiveSystemsOfEveryType) {
    solves_positive<double>(GetParam(), 1e-12);
    solves_positive<complex<double>>(GetParam(), 1e-12);
    solves_positive<float>(GetParam(), 1e-5);
    solves_positive<complex<float>>(GetParam(), 1e-5);
}

TEST_P(CgOn, TakesAPreconditionerAndAFirstGuess) {
    dense_system<complex<double>> system(GetParam(), 120);
    system.fill_positive(5, 0.1);
    for (std::size_t i = 0; i < 120; ++i)  // badly scaled, which a diagonal mends
        for (std::size_t j = 0; j < 120; ++j)
            system.at(i, j) = system.at(i, j) * complex<double>((1.0 + i) * (1.0 + j));
    const report plain = solve_by_cg(system, {.relative = 1e-9, .iterations = 3000});
    std::fill_n(system.x(), 120, complex<double>{1, -1});
    problem<complex<double>> given = system.problem();
    given.m = system.diagonal();
    const report result = solve_by_cg(given, {.relative = 1e-9});
    EXPECT_TRUE(result.converged());
    EXPECT_LT(system.relative_residual(), 2e-9);
    EXPECT_LT(result.iterations, plain.iterations / 2);
    const report again = solve_by_cg(given, {.relative = 1e-8});
    EXPECT_TRUE(again.converged());
    EXPECT_EQ(again.iterations, 0u) << "the first guess is good enough";
}

TEST_P(CgOn, ManySystemsAreSolvedAsEachAlone) {
    constexpr std::size_t length = 270, many = 5;
    dense_system<double> all(GetParam(), length, many);
    all.fill_positive(3, 0.3);
    std::fill_n(all.b(2), length, 0.0);  // this one is solved at once
    for (std::size_t i = 0; i < length; ++i) all.b(3)[i] *= 1e-12;
    const problem<double> given = all.problem();
    const workspace memory = room(given, cg_bytes(given));
    const reports result = cg(given, memory, {.absolute = 1e-9});
    expect_the_same_alone(all, result, std::vector<double>(many), [&](const auto& one) {
        return cg(one, memory, {.absolute = 1e-9}).front();
    });
    EXPECT_EQ(result[2].iterations, 0u);
    EXPECT_EQ(result[3].iterations, 0u) << "small enough from the start";
}

TEST_P(CgOn, AFixedCountGivesWhatALoopWithTestsGives) {
    dense_system<float> system(GetParam(), 300);
    system.fill_positive(8, 0.2);
    solve_by_cg(system, {.relative = 0, .iterations = 7});
    const std::vector<float> tested = system.solution();
    std::fill_n(system.x(), 300, 0.0f);
    const report result = enqueued(system, 7);
    EXPECT_EQ(result.iterations, 7u);
    EXPECT_EQ(result.reason, ending::limit);
    EXPECT_EQ(system.solution(), tested);
}

TEST_P(CgOn, AFixedCountStopsChangingWhatItHasSolved) {
    dense_system<double> system(GetParam(), 3);
    for (std::size_t i = 0; i < 3; ++i) system.at(i, i) = 2, system.b()[i] = 4;
    const report result = enqueued(system, 50);
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(result.iterations, 1u);
    EXPECT_EQ(system.solution(), std::vector<double>(3, 2.0));
}

TEST(Cg, AFixedCountNeverWaitsForTheGpu) {
    if (device::count() == 0) GTEST_SKIP() << "no GPU";
    // everything but the last look lies in memory of the GPU: managed memory would wait by itself
    dense_system<double> system(gpu_number(0), 64);
    system.fill_positive(1, 1);
    const device::stream own;
    problem<double> given = system.problem();
    given.stream = own.get();
    const workspace memory(given.who, memory::kind::device, cg_bytes(given));
    enqueue_cg(given, memory, 2);  // loads the kernels
    device::synchronize(own.get());
    measure::hold held;
    device::event finished;
    held.start(own.get());
    enqueue_cg(given, memory, 10);
    finished.record(own.get());
    EXPECT_FALSE(finished.happened()) << "enqueue_cg returned only when the GPU was done";
    held.release();
    EXPECT_EQ(cg_result(given, memory).front().iterations, 10u);
}

TEST(Cg, TheBitsDependOnNoThreadCount) {
    dense_system<complex<double>> system(the_cpu, 150);
    system.fill_positive(4, 0.05);
    expect_the_same_bits(system, [](const auto& given) { solve_by_cg(given, {.relative = 1e-6}); });
}

TEST_P(CgOn, ReportsWhatItCannotSolve) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    dense_system<double> system(GetParam(), 50);
    system.fill_positive(9, 1);
    system.b()[49] = nan;
    EXPECT_EQ(solve_by_cg(system).reason, ending::breakdown) << "NaN in b";
    EXPECT_TRUE(system.x_is_finite());
    system.b()[49] = 1;
    const double right = system.at(20, 20);
    system.at(20, 20) = nan;
    problem<double> from_zero = system.problem();
    from_zero.from_zero = true;
    EXPECT_EQ(solve_by_cg(from_zero).reason, ending::breakdown) << "NaN in A";
    EXPECT_TRUE(system.x_is_finite());
    system.at(20, 20) = -right * 50;
    EXPECT_EQ(solve_by_cg(system).reason, ending::breakdown) << "not positive";
    EXPECT_TRUE(system.x_is_finite());
    system.at(20, 20) = right;
    system.x()[7] = nan;
    EXPECT_EQ(solve_by_cg(system).reason, ending::breakdown) << "NaN in the first guess";
    EXPECT_TRUE(solve_by_cg(from_zero).converged()) << "which is not read";
    std::fill_n(system.x(), 50, 0.0);
    EXPECT_EQ(solve_by_cg(system, {.relative = 1e-12, .iterations = 2}).reason, ending::limit);
}

TEST_P(CgOn, AZeroRightHandSideGivesZeroAtOnce) {
    dense_system<complex<float>> system(GetParam(), 30);
    system.fill_positive(2, 1);
    std::fill_n(system.b(), 30, complex<float>{});
    std::fill_n(system.x(), 30, complex<float>{7, 8});
    const report result = solve_by_cg(system);
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(result.iterations, 0u);
    EXPECT_EQ(result.true_residual, 0);
    EXPECT_EQ(system.solution(), std::vector<complex<float>>(30));
}

TEST_P(CgOn, SingularSystemsAreSolvedWhereTheyCanBe) {
    constexpr std::size_t length = 40;  // a ring: constants are its null vectors
    dense_system<double> system(GetParam(), length);
    for (std::size_t i = 0; i < length; ++i) {
        system.at(i, i) = 2;
        system.at(i, (i + 1) % length) = system.at((i + 1) % length, i) = -1;
        system.b()[i] = std::sin(2 * 3.14159265358979 * double(i) / length) + (i % 2 ? 1 : -1);
    }
    const report result = solve_by_cg(system, {.relative = 1e-10});
    EXPECT_TRUE(result.converged()) << name_of(result.reason);
    EXPECT_LT(system.relative_residual(), 2e-10);
    for (std::size_t i = 0; i < length; ++i) system.b()[i] += 1;
    const report never = solve_by_cg(system, {.relative = 1e-10, .stagnation = 60});
    EXPECT_FALSE(never.converged());
    EXPECT_TRUE(never.reason == ending::stagnation || never.reason == ending::breakdown)
        << name_of(never.reason);
    EXPECT_TRUE(system.x_is_finite());
}

TEST_P(CgOn, ATrueResidualThatStoppedIsNoSuccess) {
    dense_system<float> system(GetParam(), 200);
    system.fill_positive(6, 1e-4);
    const report result = solve_by_cg(system, {.relative = 1e-12, .iterations = 4000});
    EXPECT_NE(result.reason, ending::converged);
    EXPECT_GT(result.true_residual, 1e-9 * result.norm_b);
}

TEST_P(CgOn, VeryLargeAndVerySmallNumbers) {
    for (const double size : {1e-100, 1e100}) {
        dense_system<double> system(GetParam(), 1);
        system.at(0, 0) = size;
        system.b()[0] = 1 / size;
        EXPECT_TRUE(solve_by_cg(system).converged()) << size;
        EXPECT_NEAR(system.x()[0] * size * size, 1, 1e-15) << size;
    }
    dense_system<double> system(GetParam(), 1);
    system.at(0, 0) = 1;
    system.b()[0] = 1e-200;  // its square is 0: no norm, so no answer
    EXPECT_EQ(solve_by_cg(system).reason, ending::breakdown);
}

TEST(Cg, TheCallersRuleEndsIt) {
    dense_system<double> system(the_cpu, 100);
    system.fill_positive(6, 1e-3);
    std::size_t asked = 0;
    const report result =
        solve_by_cg(system, {.relative = 1e-12, .stop = [&](std::span<const report> now) {
                                 ++asked;
                                 return now[0].iterations == 4;
                             }});
    EXPECT_EQ(result.reason, ending::stopped);
    EXPECT_EQ(result.iterations, 4u);
    EXPECT_EQ(asked, 5u);
}

TEST(Cg, AWorkspaceThatIsTooSmallIsRefused) {
    dense_system<double> system(the_cpu, 100);
    const problem<double> given = system.problem();
    const workspace memory(the_cpu, memory::kind::pageable, cg_bytes(given) - 256);
    EXPECT_THROW(cg(given, memory), usage_error);
}

}  // namespace
}  // namespace watari::krylov
