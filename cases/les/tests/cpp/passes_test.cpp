// Kernels that do several steps of a V-cycle have the same bits as separate steps: a GPU's pass
// over the finest level (blocks_gpu.hpp), its block for the coarsest ones (small_gpu.hpp) and its
// launch for a sum (totals_gpu.hpp). Their unchanged source runs on fibers of the CPU. The pass
// over a rank's part has the same bits too.
#include "../../native/flow/correction.hpp"
#include "../../native/pressure/coarsening.hpp"
#include "../../native/pressure/steps.hpp"
#include "../../native/pressure/sweeps.hpp"

#include <cstring>
#include <random>

#include "small_city.hpp"
#include "tests/emulator/fibers.hpp"

#define __forceinline__ inline

namespace watari::emulated_les {
using namespace emulated;
using namespace cpu;  // sweeps.hpp

struct float4 {
    float x, y, z, w;
};
struct uint2 {
    unsigned x, y;
};
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
}  // namespace watari::emulated_les

#define gpu emulated_les
#include "../../native/pressure/blocks_gpu.hpp"
#include "../../native/pressure/small_gpu.hpp"
#include "../../native/pressure/totals_gpu.hpp"
#undef gpu

namespace watari::les {
namespace {

parameters jagged_city(const extents& size) {
    parameters p = city_of(size, 2);
    std::mt19937 engine(7);
    for (auto& height : p.heights)
        height = static_cast<std::uint16_t>(engine() % 9 / 4 * (engine() % 3));
    for (std::size_t n = 0; n < 40; ++n) p.heights[n] = 3;
    return p;
}
template <class Real>
std::vector<Real> copy(const les::grid& g, const Real* from) {
    return {from, from + g.points()};
}
/// Counts the cells whose bits differ, copies of the outermost cells included.
template <class Real>
std::size_t differ(const les::grid& g, const std::vector<Real>& a, const std::vector<Real>& b) {
    std::size_t n = 0;
    for (std::size_t k = 0; k < g.size.z + 2; ++k)
        for (std::size_t j = 0; j < g.size.y + 2; ++j)
            for (std::size_t i = 0; i < g.size.x + 2; ++i) {
                const std::size_t at = g.at(k - 1, j - 1, i - 1);
                n += std::memcmp(&a[at], &b[at], sizeof(Real)) != 0;
            }
    return n;
}

class LesPasses : public testing::TestWithParam<extents> {
protected:
    LesPasses() : city(jagged_city(GetParam())), poisson(city.f, city.p) { poisson.build(nullptr); }

    const vcycle_kernels<float>& cycle = vcycle_kernels<float>::cpu;
    small_city<float> city;
    pressure<float> poisson;
};

TEST_P(LesPasses, FirstSweepsAndRestriction) {
    const level<float>&l = poisson.levels()[0], &coarse = poisson.levels()[1];
    fill(l.grid, l.r, 1);
    cycle.two_sweeps(l, nullptr);
    cycle.restrict_residual(l, coarse, nullptr);
    const auto e = copy(l.grid, l.e), r = copy(coarse.grid, coarse.r);
    for (const unsigned order : {0u, 1u}) {
        emulated::order_of_blocks = order;
        std::fill_n(l.e, l.grid.points(), 0.f);
        std::fill_n(coarse.r, coarse.grid.points(), 0.f);
        ASSERT_TRUE(emulated_les::sweep_first(l, coarse, nullptr));
        EXPECT_EQ(differ(l.grid, copy(l.grid, l.e), e), 0);
        EXPECT_EQ(differ(coarse.grid, copy(coarse.grid, coarse.r), r), 0);
    }
}

TEST_P(LesPasses, APartWithADeepHaloHasTheSameBits) {
    const level<float>&all = poisson.levels()[0], &all_coarse = poisson.levels()[1];
    fill(all.grid, all.r, 1);
    cycle.two_sweeps(all, nullptr);
    cycle.restrict_residual(all, all_coarse, nullptr);

    parameters p = city.p;
    p.grid.size.y /= 2, p.grid.origin.y = p.grid.size.y, p.grid.around_y = false;
    p.grid.below = p.grid.above = deep_halo;
    small_city<float> part(p);
    const pressure<float> own(part.f, part.p);
    const level<float>&l = own.levels()[0], &coarse = own.levels()[1];
    coarsening_kernels<float>::cpu.invert(l, nullptr);
    const auto rows = static_cast<std::ptrdiff_t>(l.grid.size.y);
    const auto row_of_all = [](const grid& g, std::ptrdiff_t j, const level<float>& whole) {
        const std::size_t y = whole.grid.size.y;
        return (g.origin.y + y + static_cast<std::size_t>(j)) % y;
    };
    const auto copies = static_cast<std::ptrdiff_t>(deep_halo);
    for (std::size_t k = 0; k < l.grid.size.z; ++k)
        for (std::ptrdiff_t j = -copies; j < rows + copies; ++j)
            std::memcpy(l.r + l.grid.at(k, static_cast<std::size_t>(j), 0) - 1,
                        all.r + all.grid.at(k, row_of_all(l.grid, j, all), 0) - 1,
                        (l.grid.size.x + 2) * sizeof(float));

    const auto differ_from = [&](const level<float>& mine, const float* array,
                                 const level<float>& whole, const float* same, std::ptrdiff_t first,
                                 std::ptrdiff_t last) {
        std::size_t n = 0;
        for (std::size_t k = 0; k < mine.grid.size.z; ++k)
            for (std::ptrdiff_t j = first; j < last; ++j)
                n += std::memcmp(array + mine.grid.at(k, static_cast<std::size_t>(j), 0) - 1,
                                 same + whole.grid.at(k, row_of_all(mine.grid, j, whole), 0) - 1,
                                 (mine.grid.size.x + 2) * sizeof(float)) != 0;
        return n;
    };
    for (const auto sweep_first : {emulated_les::sweep_first<float>, cycle.sweep_first}) {
        std::fill_n(l.e, l.grid.points(), 0.f);
        std::fill_n(coarse.r, coarse.grid.points(), 0.f);
        ASSERT_TRUE(sweep_first(l, coarse, nullptr));
        EXPECT_EQ(differ_from(l, l.e, all, all.e, 0, rows), 0);
        EXPECT_EQ(differ_from(coarse, coarse.r, all_coarse, all_coarse.r, 0, rows / 2), 0);
        level<float> beside = l;
        beside.grid = l.grid.rows_from(-2, l.grid.size.y + 4);
        cycle.two_sweeps(beside, nullptr);
        EXPECT_EQ(differ_from(l, l.e, all, all.e, -2, rows + 2), 0);
    }
}

TEST_P(LesPasses, APartWithAHaloOfOneRowIsLeftToPassesOfTheirOwn) {
    level<float> l = poisson.levels()[0];
    l.grid.around_y = false;
    EXPECT_FALSE(emulated_les::sweep_first(l, poisson.levels()[1], nullptr));
}

INSTANTIATE_TEST_SUITE_P(Grids, LesPasses,
                         testing::Values(extents{256, 32, 16}, extents{512, 48, 64}),
                         [](const auto& info) { return "x" + std::to_string(info.param.x); });

/// Compares the levels from the first that fits into the shared memory of a block, then from each
/// coarser one.
template <class Real>
void compare_small_levels(const extents& size) {
    const small_city<Real> city(jagged_city(size));
    pressure<Real> poisson(city.f, city.p);
    poisson.build(nullptr);
    const std::span<const level<Real>> all = poisson.levels();
    const std::size_t least = emulated_les::first_within(all, std::size_t{227} << 10);
    ASSERT_LT(least, all.size());
    for (std::size_t first = least; first < all.size(); ++first) {
        const level<Real>& l = all[first];
        fill(l.grid, l.r, 2);
        vcycle_kernels<Real>::cpu.small_levels(all.subspan(first), nullptr);
        const auto e = copy(l.grid, l.e);
        std::fill_n(l.e, l.grid.points(), Real(0));
        emulated_les::small_levels(all.subspan(first), nullptr);
        EXPECT_EQ(differ(l.grid, copy(l.grid, l.e), e), 0) << "from level " << first;
    }
}

TEST(LesSmallLevels, HaveTheBitsOfACpu) {
    compare_small_levels<float>({64, 64, 64});
    compare_small_levels<double>({32, 32, 32});
}
TEST(LesSmallLevels, NeedNoPowersOfTwo) {
    compare_small_levels<float>({40, 24, 72});
    compare_small_levels<float>({96, 56, 20});
    compare_small_levels<double>({36, 28, 11});
}

/// A GPU has one kernel for both steps, compiled here for the CPU; the CPU has two.
TEST_P(LesPasses, LastStepsAndCorrection) {
    flow_arguments<float> flow = flow_of<float>(city.f, city.p);
    level<float> l = poisson.levels()[0];
    float* const d = city.array(city.f.d);
    const iteration_sums sums{{3, 2}, {5, 7}, 0};
    unsigned seed = 3;
    for (float* each : {l.e, d, flow.p, flow.next[0], flow.next[1], flow.next[2], flow.next[3]})
        fill(l.grid, each, seed++);
    const auto all = [&] {
        std::vector<std::vector<float>> of;
        for (unsigned n = 0; n < 4; ++n) of.push_back(copy(l.grid, flow.next[n]));
        of.push_back(copy(l.grid, flow.p));
        return of;
    };
    const auto before = all();
    iteration_kernels<float>::cpu.finish(l, d, flow.p, &sums, 1, nullptr);
    flow_kernels<float>::cpu.correct(flow, 0.25f, nullptr);
    const auto separate = all();
    for (unsigned n = 0; n < 4; ++n) std::ranges::copy(before[n], flow.next[n]);
    std::ranges::copy(before[4], flow.p);
    cpu::correct_by(flow, 0.25f, cpu::last_pressure<float>{{flow.p, d, l.e}, &sums, 1}, nullptr,
                    l.r);
    EXPECT_EQ(copy(l.grid, flow.p), before[4]);
    flow.p = l.r;
    const auto together = all();
    for (unsigned n = 0; n < 5; ++n) EXPECT_EQ(differ(l.grid, together[n], separate[n]), 0) << n;
}

TEST(LesTotals, HaveTheBitsOfACpu) {
    for (const extents& size :
         {extents{512, 40, 128}, {512, 520, 3}, {24, 10, 150}, {128, 1, 20}}) {
        const les::grid g{size};
        const std::size_t columns = size.x / piece_of(size.x) * size.y;
        std::vector<double> partials(columns * size.z);
        std::mt19937 engine(5);
        std::uniform_real_distribution<double> any(-1, 1);
        for (double& value : partials) value = any(engine);
        double total[3];
        iteration_sums sums{};
        for (const unsigned order : {0u, 1u, 2u}) {
            emulated::order_of_blocks = order;
            std::vector<double> between(columns), scratch(cpu::sum_scratch(columns));
            (order == 0 ? iteration_kernels<float>::cpu.add_all : emulated_les::add_all)(
                g, partials.data(), between.data(), &total[order], scratch.data(), &sums, nullptr);
            EXPECT_EQ(std::memcmp(&total[order], &total[0], sizeof(double)), 0) << size.x;
            EXPECT_EQ(sums.came, 0u);
        }
    }
}

}  // namespace
}  // namespace watari::les
