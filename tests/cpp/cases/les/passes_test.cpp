// Two steps of a V-cycle in one pass have the bits of the steps one after the other: the passes of
// a GPU (blocks_gpu.hpp), their source as it is, on fibers of the CPU.
#include "watari/cases/les/pressure/sweeps.hpp"
#include "watari/cases/les/variants.hpp"

#include <cstring>
#include <random>

#include "core/emulated_gpu.hpp"
#include "small_city.hpp"

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
template <unsigned Threads, unsigned BlocksAtOnce, class Body>
void launch_next(dim3 blocks, dim3 threads, Body body, stream_t stream) {
    launch<Threads, BlocksAtOnce>(blocks.x, threads, body, stream);
}
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
}  // namespace watari::emulated_les

#define gpu emulated_les
#include "watari/cases/les/pressure/blocks_gpu.hpp"
#undef gpu

namespace watari::les {
namespace {

using vectors = std::vector<std::vector<float>>;

class LesPasses : public testing::TestWithParam<extents> {
protected:
    LesPasses() : city(made()), poisson(city.f, city.p) { poisson.build(nullptr); }
    ~LesPasses() override { variants = 0; }

    static constexpr unsigned all = fuse_last | fuse_first | fuse_second_last | fuse_second_first;

    static parameters made() {
        parameters p = city_of(GetParam(), 2);
        std::mt19937 engine(7);
        for (auto& height : p.heights)
            height = static_cast<std::uint16_t>(engine() % 9 / 4 * (engine() % 3));
        for (std::size_t n = 0; n < 40; ++n) p.heights[n] = 3;
        return p;
    }
    void fill(const les::grid& g, float* to, unsigned seed) const {
        std::mt19937 engine(seed);
        std::uniform_real_distribution<float> any(-1, 1);
        for (std::size_t k = 0; k < g.size.z; ++k)
            for (std::size_t j = 0; j < g.size.y; ++j)
                for (std::size_t i = 0; i < g.size.x; ++i) to[g.at(k, j, i)] = any(engine);
        cycle.go_around(g, to, nullptr);
    }
    /// Of level n the first coarser one alone, with its faces as codes.
    level<float> level_of(std::size_t n) {
        level<float> l = poisson.levels()[n];
        if (n == 0) return l;
        const cpu::counted_operator<float> a(l);
        for (std::size_t code = 0; code < open_faces::codes; ++code) {
            float sum = 0;
            for (unsigned axis = 0; axis < 3; ++axis)
                for (unsigned high = 0; high < 2; ++high)
                    sum +=
                        a.known(axis, a.count(static_cast<std::uint16_t>(open_faces::least + code),
                                              2 * axis + high));
            l.by_open[code] = sum > 0 ? 1 / sum : 0;
        }
        const les::grid& g = l.grid;
        for (std::size_t k = 0; k < g.size.z; ++k)
            for (std::size_t j = 0; j < g.size.y + 2; ++j)
                for (std::size_t i = 0; i < g.size.x + 2; ++i) {
                    const std::size_t at =
                        g.at(k, (j + g.size.y - 1) % g.size.y, (i + g.size.x - 1) % g.size.x);
                    unsigned code = 0;
                    for (unsigned axis = 0; axis < 3; ++axis)
                        for (const std::size_t face : {at, at + g.stride(axis)}) {
                            unsigned count = 0;
                            while (count < 4 && a.known(axis, count) != l.face[axis][face]) ++count;
                            code = code * 5 + count;
                        }
                    l.open[g.at(k, j - 1, i - 1)] =
                        static_cast<std::uint16_t>(open_faces::least + code);
                }
        return l;
    }
    static std::vector<float> copy(const les::grid& g, const float* from) {
        return {from, from + g.points()};
    }
    /// Cells, and copies of the outermost ones, whose bits differ.
    static std::size_t differ(const les::grid& g, const std::vector<float>& a,
                              const std::vector<float>& b) {
        std::size_t n = 0;
        for (std::size_t k = 0; k < g.size.z + 2; ++k)
            for (std::size_t j = 0; j < g.size.y + 2; ++j)
                for (std::size_t i = 0; i < g.size.x + 2; ++i) {
                    const std::size_t at = g.at(k - 1, j - 1, i - 1);
                    n += std::memcmp(&a[at], &b[at], sizeof(float)) != 0;
                }
        return n;
    }

    const vcycle_kernels<float>& cycle = vcycle_kernels<float>::cpu;
    small_city<float> city;
    pressure<float> poisson;
};

TEST_P(LesPasses, FirstSweepsAndRestriction) {
    for (std::size_t n = 0; n < 2; ++n) {
        const level<float> l = level_of(n), &coarse = poisson.levels()[n + 1];
        fill(l.grid, l.r, 1);
        cycle.two_sweeps(l, nullptr);
        cycle.restrict_residual(l, coarse, nullptr);
        const auto e = copy(l.grid, l.e), r = copy(coarse.grid, coarse.r);
        std::fill_n(l.e, l.grid.points(), 0.f);
        std::fill_n(coarse.r, coarse.grid.points(), 0.f);
        for (const unsigned order : {0u, 1u}) {
            emulated::order_of_blocks = order;
            variants = all | (order != 0 ? unsigned{unrolled} : 0);
            ASSERT_TRUE(emulated_les::sweep_first(l, coarse, nullptr)) << n;
            EXPECT_EQ(differ(l.grid, copy(l.grid, l.e), e), 0) << n;
            EXPECT_EQ(differ(coarse.grid, copy(coarse.grid, coarse.r), r), 0) << n;
        }
    }
}

TEST_P(LesPasses, CorrectionAndLastSweeps) {
    for (std::size_t n = 0; n < 2; ++n) {
        const level<float> l = level_of(n), &coarse = poisson.levels()[n + 1];
        fill(l.grid, l.r, 2);
        fill(l.grid, l.e, 3);
        fill(coarse.grid, coarse.e, 4);
        const auto before = copy(l.grid, l.e);
        std::vector<double> sums(l.grid.rows() * (l.grid.size.x / 128)), made = sums;
        const bool summed = n == 0;
        cycle.correct_sweep(l, coarse, nullptr);
        if (summed)
            cycle.sweep_product(l, sums.data(), nullptr);
        else
            cycle.sweep(l, float(first_weight), l.scratch, l.e, nullptr);
        const auto e = copy(l.grid, l.e);
        std::copy(before.begin(), before.end(), l.e);
        std::fill_n(l.scratch, l.grid.points(), 0.f);
        for (const unsigned order : {0u, 1u}) {
            emulated::order_of_blocks = order;
            variants = all | (order != 0 ? unsigned{unrolled} : 0);
            double* const partials = summed ? made.data() : nullptr;
            ASSERT_TRUE(emulated_les::sweep_last(l, coarse, partials, nullptr)) << n;
            EXPECT_EQ(differ(l.grid, copy(l.grid, l.scratch), e), 0) << n;
            if (summed) {
                EXPECT_EQ(made, sums);
            }
            std::fill_n(l.scratch, l.grid.points(), 0.f);
            std::fill(made.begin(), made.end(), 0);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Grids, LesPasses,
                         testing::Values(extents{256, 32, 16}, extents{512, 48, 64}),
                         [](const auto& info) { return "x" + std::to_string(info.param.x); });

}  // namespace
}  // namespace watari::les
