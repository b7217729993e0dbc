// The operator of the pressure and its preconditioner.
#include "small_city.hpp"

#include <random>

namespace watari::les {
namespace {

class LesPressure : public testing::Test {
protected:
    LesPressure() : city(made()), poisson(city.f, city.p) { poisson.build(nullptr); }

    static parameters made() {
        parameters p = city_of({16, 16, 16}, 1, 5, 10, 6);
        for (std::size_t i = 0; i < 16; ++i) p.heights[i * 16 + (5 * i) % 16] += 3;
        return p;
    }
    std::vector<double> random(unsigned seed) const {
        std::mt19937 engine(seed);
        std::uniform_real_distribution<double> any(-1, 1);
        std::vector<double> result(city.p.grid.points());
        city.each([&](auto, auto, auto, std::size_t at) {
            const double value = any(engine);
            result[at] = city.flags()[at] & flag::fluid ? value : 0;
        });
        return result;
    }
    double dot(const std::vector<double>& x, const std::vector<double>& y) const {
        double sum = 0;
        city.each([&](auto, auto, auto, std::size_t at) { sum += x[at] * y[at]; });
        return sum;
    }
    /// A x: the residual for p = -x and no flow.
    std::vector<double> times_a(std::vector<double> x) {
        for (double& value : x) value = -value;
        double* const p = city.array(city.f.p);
        std::copy(x.begin(), x.end(), p);
        const auto& run = kernels_on<iteration_kernels<double>>(the_cpu);
        kernels_on<vcycle_kernels<double>>(the_cpu).go_around(city.p.grid, p, nullptr);
        flow_arguments<double> flow = flow_of<double>(city.f, city.p);
        run.residual(poisson.levels()[0], flow, 1, nullptr);
        const double* const r = city.array(city.f.r);
        return {r, r + city.p.grid.points()};
    }
    std::vector<double> v_cycle(const std::vector<double>& r) {
        std::copy(r.begin(), r.end(), city.array(city.f.r));
        kernels_on<vcycle_kernels<double>>(the_cpu).go_around(city.p.grid, city.array(city.f.r),
                                                              nullptr);
        poisson.cycle(nullptr);
        const double* const e = poisson.levels()[0].e;
        return {e, e + city.p.grid.points()};
    }

    small_city<double> city;
    pressure<double> poisson;
};

TEST_F(LesPressure, OperatorIsSymmetric) {
    const auto x = random(1), y = random(2);
    EXPECT_NEAR(dot(x, times_a(y)), dot(y, times_a(x)), 1e-12 * dot(x, times_a(x)));
    EXPECT_GT(dot(x, times_a(x)), 0);
}

TEST_F(LesPressure, CycleIsSymmetric) {
    const auto x = random(3), y = random(4);
    EXPECT_NEAR(dot(x, v_cycle(y)), dot(y, v_cycle(x)), 1e-12 * dot(x, v_cycle(x)));
    EXPECT_GT(dot(x, v_cycle(x)), 0);
}

TEST_F(LesPressure, OperatorTakesAConstantToNothing) {
    std::vector<double> one(city.p.grid.points(), 1);
    for (const double value : times_a(one)) EXPECT_EQ(value, 0);
}

/// A x by its definition, from the map of heights alone.
TEST_F(LesPressure, OperatorIsTheSumOverOpenFaces) {
    const auto x = random(5), ax = times_a(x);
    const auto is_solid = [&](std::ptrdiff_t k, std::ptrdiff_t j, std::ptrdiff_t i) {
        return k < 0 || k >= 16 ||
               k < city.p.heights[std::size_t((j + 16) % 16 * 16 + (i + 16) % 16)];
    };
    city.each([&](std::size_t k, std::size_t j, std::size_t i, std::size_t at) {
        double sum = 0;
        const std::ptrdiff_t here[] = {std::ptrdiff_t(k), std::ptrdiff_t(j), std::ptrdiff_t(i)};
        if (!is_solid(here[0], here[1], here[2]))
            for (unsigned side = 0; side < 6; ++side) {
                std::ptrdiff_t there[] = {here[0], here[1], here[2]};
                there[side / 2] += side % 2 ? 1 : -1;
                if (is_solid(there[0], there[1], there[2])) continue;
                sum += x[at] -
                       x[city.p.grid.at(std::size_t(there[0]), std::size_t((there[1] + 16) % 16),
                                        std::size_t((there[2] + 16) % 16))];
            }
        EXPECT_NEAR(ax[at], sum, 1e-13);
    });
}

/// Iterations until the residual is 1e-5 of the first: 5 or 6, as in the design's table.
TEST_F(LesPressure, FewIterationsAreEnough) {
    const auto b = random(6);
    flow_arguments<double> flow = flow_of<double>(city.f, city.p);
    for (unsigned a = 0; a < 3; ++a)
        city.each([&](auto, auto, auto, std::size_t at) {
            if (city.flags()[at] & flag::low(a)) flow.next.velocity[a][at] = b[at];
        });
    const auto& run = kernels_on<iteration_kernels<double>>(the_cpu);
    for (unsigned a = 0; a < 3; ++a)
        kernels_on<vcycle_kernels<double>>(the_cpu).go_around(city.p.grid, flow.next.velocity[a],
                                                              nullptr);
    double norm[2];
    for (const int cycles : {0, 6}) {
        poisson.solve(flow, 1, cycles, nullptr);
        run.residual(poisson.levels()[0], flow, 1, nullptr);
        const double* const r = city.array(city.f.r);
        const std::vector<double> left(r, r + city.p.grid.points());
        norm[cycles == 6] = std::sqrt(dot(left, left));
    }
    EXPECT_LT(norm[1], 1e-5 * norm[0]);
}

/// A part of a V-cycle by one pass over blocks, and by a pass for each step.
class LesBlocks : public testing::TestWithParam<int> {
protected:
    LesBlocks()
        : city(city_of({256, 136, 8}, 1, 30, 100, 5), GetParam()),
          poisson(city.f, city.p),
          fine(poisson.levels()[0]),
          coarse(poisson.levels()[1]),
          run(kernels_on<vcycle_kernels<float>>(the_cpu)) {
        poisson.build(nullptr);
        fill(fine.grid, fine.r, 1);
        fill(fine.grid, fine.e, 2);
        fill(coarse.grid, coarse.e, 3);
    }
    static std::vector<float> all(const grid& g, const float* array) {
        return {array, array + g.points()};
    }

    small_city<float> city;
    pressure<float> poisson;
    const level<float>&fine, &coarse;
    const vcycle_kernels<float>& run;
};

TEST_P(LesBlocks, TheFirstSweepsHaveTheSameBits) {
    run.two_sweeps(fine, nullptr);
    run.restrict_residual(fine, coarse, nullptr);
    const auto e = all(fine.grid, fine.e), r = all(coarse.grid, coarse.r);
    fill(fine.grid, fine.e, 4);
    fill(coarse.grid, coarse.r, 5);
    ASSERT_TRUE(run.sweep_first(fine, coarse, nullptr));
    EXPECT_EQ(all(fine.grid, fine.e), e);
    EXPECT_EQ(all(coarse.grid, coarse.r), r);
}

TEST_P(LesBlocks, TheLastSweepsHaveTheSameBits) {
    std::vector<double> sums(2 * fine.grid.rows()), separate(sums.size());
    ASSERT_TRUE(run.sweep_last(fine, coarse, sums.data(), nullptr));
    const auto e = all(fine.grid, fine.scratch);
    run.correct_sweep(fine, coarse, nullptr);
    run.sweep_product(fine, separate.data(), nullptr);
    EXPECT_EQ(all(fine.grid, fine.e), e);
    EXPECT_EQ(sums, separate);
}

INSTANTIATE_TEST_SUITE_P(Threads, LesBlocks, testing::Values(1, 3));

}  // namespace
}  // namespace watari::les
