// BiCGStab: solutions, half steps, endings, and the bytes of a step.
#include "watari/krylov/bicgstab.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "krylov/alone.hpp"
#include "krylov/thread_counts.hpp"
#include "watari/krylov/bytes.hpp"

namespace watari::krylov {
namespace {

template <class T>
report solve_by_bicgstab(const problem<T>& given, const stopping& when = {}) {
    return bicgstab(given, room(given, bicgstab_bytes(given)), when).front();
}

class BicgstabOn : public testing::TestWithParam<processor> {};
INSTANTIATE_TEST_SUITE_P(Processors, BicgstabOn, testing::ValuesIn(processors()), processor_name);

template <class T>
void bicgstab_solves_any(processor who, double tolerance) {
    for (const std::size_t length : {1u, 2u, 33u, 300u}) {
        dense_system<T> system(who, length);
        system.fill_random(length, 2 * std::sqrt(double(length)) + 2);
        const report result = solve_by_bicgstab(system.problem(), {.relative = tolerance});
        EXPECT_TRUE(result.converged()) << length << ": " << name_of(result.reason);
        EXPECT_LT(system.relative_residual(), 3 * tolerance) << length;
        EXPECT_LE(result.recursive_residual, tolerance * result.norm_b);
        EXPECT_LE(result.applications, 2 * result.iterations);
        EXPECT_GE(result.applications, 2 * result.iterations - 1);
    }
}

TEST_P(BicgstabOn, SolvesSystemsOfEveryType) {
    bicgstab_solves_any<double>(GetParam(), 1e-12);
    bicgstab_solves_any<complex<double>>(GetParam(), 1e-12);
    bicgstab_solves_any<float>(GetParam(), 1e-5);
    bicgstab_solves_any<complex<float>>(GetParam(), 1e-5);
}

TEST_P(BicgstabOn, TakesAPreconditioner) {
    dense_system<complex<double>> system(GetParam(), 150);
    system.fill_random(5, 30);
    for (std::size_t i = 0; i < 150; ++i)
        for (std::size_t j = 0; j < 150; ++j)
            system.at(i, j) = system.at(i, j) * complex<double>(1.0 + double(i * i));
    problem<complex<double>> given = system.problem();
    const report plain = solve_by_bicgstab(given, {.relative = 1e-9});
    std::fill_n(system.x(), 150, complex<double>{});
    given.m = system.diagonal();
    const report result = solve_by_bicgstab(given, {.relative = 1e-9});
    EXPECT_TRUE(result.converged());
    EXPECT_LT(system.relative_residual(), 2e-9);
    EXPECT_TRUE(!plain.converged() || result.iterations < plain.iterations / 2);
}

// The plain loop, without deferring x and without any kernel of the library.
std::size_t applications_of_plain_loop(dense_system<complex<double>>& system, double relative) {
    using scalar = complex<double>;
    using vector = std::vector<scalar>;
    const std::size_t n = system.length();
    const auto dot = [](const vector& u, const vector& v) {
        scalar sum{};
        for (std::size_t i = 0; i < u.size(); ++i) sum += conjugate(u[i]) * v[i];
        return sum;
    };
    const auto times = [&](const vector& v) {
        vector y(n);
        dense_kernels<scalar>::cpu.multiply(y.data(), system.matrix(), v.data(), n, 1, nullptr);
        return y;
    };
    const auto add = [](vector& to, scalar factor, const vector& v) {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * v[i];
    };
    vector r(system.b(), system.b() + n), p = r;
    const vector shadow = r;
    scalar rho = dot(shadow, r);
    const double target = relative * relative * real_part(dot(r, r));
    for (std::size_t applications = 0; applications < 5000;) {
        const vector q = times(p);
        const scalar alpha = rho / dot(shadow, q);
        add(r, -alpha, q);
        ++applications;
        if (real_part(dot(r, r)) <= target) return applications;
        const vector t = times(r);
        const scalar omega = dot(t, r) / dot(t, t);
        add(r, -omega, t);
        ++applications;
        if (real_part(dot(r, r)) <= target) return applications;
        const scalar next = dot(shadow, r), beta = next / rho * (alpha / omega);
        rho = next;
        add(p, -omega, q);
        for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + beta * p[i];
    }
    return 0;
}

TEST_P(BicgstabOn, EndsAtTheHalfStepThatThePlainLoopEndsAt) {
    bool odd = false, even = false;
    for (unsigned seed = 0; seed < 12; ++seed) {
        dense_system<complex<double>> system(GetParam(), 64);
        system.fill_random(seed, 25);
        const double relative = std::pow(10, -2.0 - seed % 4);
        const std::size_t expected = applications_of_plain_loop(system, relative);
        const report result = solve_by_bicgstab(system.problem(), {.relative = relative});
        EXPECT_EQ(result.applications, expected) << seed;
        EXPECT_EQ(result.iterations, (expected + 1) / 2) << seed;
        EXPECT_TRUE(result.converged());
        EXPECT_LT(system.relative_residual(), relative * (1 + 1e-9)) << "x lacks the half step";
        (expected % 2 ? odd : even) = true;
        const std::vector<complex<double>> x = system.solution();
        std::fill_n(system.x(), 64, complex<double>{});
        const report seldom =
            solve_by_bicgstab(system.problem(), {.relative = relative, .look_every = 7});
        EXPECT_EQ(seldom.applications, expected) << "seen late, ended at the same half step";
        EXPECT_TRUE(system.solution() == x);
    }
    EXPECT_TRUE(odd && even) << "seeds that end at either half";
}

TEST_P(BicgstabOn, AnOperatorThatSumsGivesTheSameBits) {
    dense_system<complex<double>> system(GetParam(), 600, 3);
    system.fill_random(11, 60);
    problem<complex<double>> given = system.problem();
    const workspace memory = room(given, bicgstab_bytes(given));
    const reports plain = bicgstab(given, memory);
    const std::vector<complex<double>> x = system.solution(2);
    std::fill_n(system.x(), 1800, complex<double>{});
    given.a.apply_and_sum = [&](complex<double>* y, const complex<double>* v,
                                const complex<double>* left, const complex<double>* other,
                                double* partials, std::size_t systems, stream_t stream) {
        system.kernels().multiply_and_sum(y, system.matrix(), v, left, other, partials, 600,
                                          systems, given.sums.piece, stream);
    };
    const reports summed = bicgstab(given, memory);
    EXPECT_EQ(summed[2].recursive_residual, plain[2].recursive_residual);
    EXPECT_TRUE(system.solution(2) == x);
}

TEST_P(BicgstabOn, ManySystemsAreSolvedAsEachAlone) {
    constexpr std::size_t length = 300, many = 4;
    dense_system<complex<float>> all(GetParam(), length, many);
    all.fill_random(3, 40);
    std::fill_n(all.b(1), length, complex<float>{});
    const problem<complex<float>> given = all.problem();
    const workspace memory = room(given, bicgstab_bytes(given));
    const reports result = bicgstab(given, memory, {.relative = 1e-5});
    expect_the_same_alone(all, result, std::vector<complex<float>>(many), [&](const auto& one) {
        return bicgstab(one, memory, {.relative = 1e-5}).front();
    });
}

TEST(Bicgstab, TheBitsDependOnNoThreadCount) {
    dense_system<double> system(the_cpu, 150);
    system.fill_random(4, 40);
    expect_the_same_bits(system, [](const auto& given) { solve_by_bicgstab(given); });
}

TEST_P(BicgstabOn, BreaksDownWithoutHarm) {
    dense_system<double> system(GetParam(), 2);
    system.at(0, 1) = 1;
    system.at(1, 0) = -1;  // <r~, A r~> = 0
    system.b()[0] = 1;
    EXPECT_EQ(solve_by_bicgstab(system.problem()).reason, ending::breakdown);
    EXPECT_TRUE(system.x_is_finite());
    const double nan = std::numeric_limits<double>::quiet_NaN();
    system.at(0, 0) = nan;
    EXPECT_EQ(solve_by_bicgstab(system.problem()).reason, ending::breakdown)
        << "NaN in A, and in A x";
    problem<double> from_zero = system.problem();
    from_zero.from_zero = true;
    EXPECT_EQ(solve_by_bicgstab(from_zero).reason, ending::breakdown) << "NaN in A";
    EXPECT_TRUE(system.x_is_finite());
    system.b()[1] = std::numeric_limits<double>::infinity();
    EXPECT_EQ(solve_by_bicgstab(from_zero).reason, ending::breakdown) << "infinity in b";
    dense_system<double> nothing(GetParam(), 5);
    nothing.b()[0] = 1;
    EXPECT_EQ(solve_by_bicgstab(nothing.problem()).reason, ending::breakdown) << "A = 0";
    nothing.b()[0] = 0;
    nothing.x()[3] = 3;
    EXPECT_TRUE(solve_by_bicgstab(nothing.problem()).converged()) << "b = 0";
    EXPECT_EQ(nothing.x()[3], 0);
}

TEST_P(BicgstabOn, SingularSystemsAreSolvedWhereTheyCanBe) {
    constexpr std::size_t length = 60;  // the last equation is the sum of the others
    dense_system<double> system(GetParam(), length);
    system.fill_random(21, 20);
    for (std::size_t j = 0; j < length; ++j) {
        double sum = 0;
        for (std::size_t i = 0; i + 1 < length; ++i) sum += system.at(i, j);
        system.at(length - 1, j) = sum;
    }
    double sum = 0;
    for (std::size_t i = 0; i + 1 < length; ++i) sum += system.b()[i];
    system.b()[length - 1] = sum;
    const report result = solve_by_bicgstab(system.problem(), {.relative = 1e-9});
    EXPECT_TRUE(result.converged()) << name_of(result.reason);
    EXPECT_LT(system.relative_residual(), 2e-9);
    system.b()[length - 1] += 10;
    const report never = solve_by_bicgstab(system.problem(),
                                           {.relative = 1e-9, .iterations = 400, .stagnation = 50});
    EXPECT_FALSE(never.converged()) << "no x solves it";
    EXPECT_NE(never.reason, ending::running);
}

TEST(Bicgstab, AStepMovesNoMoreThanThePageOfTheLatticeSays) {
    constexpr std::size_t spinor = 12 * sizeof(complex<double>);
    static_assert(spinor == 192);
    // <r~,q> 192, updates 1152 + 1152 + 768; with x updated once a step 12480 - 12096 less
    constexpr std::size_t page = 192 + 1152 + 1152 + 768 - (12480 - 12096);
    // x, r and p are updated at once: two vectors less
    EXPECT_EQ(bicgstab_step_traffic(true).bytes(spinor), page - 2 * spinor);
    EXPECT_EQ(bicgstab_half_traffic.bytes(spinor), 576u);
    EXPECT_EQ(bicgstab_full_traffic.bytes(spinor), 1536u);
    EXPECT_EQ(bicgstab_step_traffic(false).bytes(spinor), 3072u);
}

}  // namespace
}  // namespace watari::krylov
