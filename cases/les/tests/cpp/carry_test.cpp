// The transport of q and l: blocks of rows on a CPU, where each face is computed once, have the
// bits of a GPU's kernel, which computes six faces of a cell near walls, and columns of two cells
// elsewhere. Its unchanged source runs here.
#include "../../native/flow/water/carry.hpp"
#include "small_city.hpp"

#include <random>

#define __forceinline__ inline

namespace watari::emulated_carry {
using namespace cpu;
}

#define gpu emulated_carry
#include "../../native/flow/water/carry_gpu.hpp"
#undef gpu

namespace watari::les {
namespace {

template <class Real>
class misty_air {
public:
    explicit misty_air(parameters p) : city_(with_mist(std::move(p))) {
        first_flow<Real>(city_.f, city_.p);
        f = flow_of<Real>(city_.f, city_.p);
        const auto& run = kernels_on<moisture_kernels<Real>>(the_cpu);
        run.mark(f, reinterpret_cast<std::uint8_t*>(city_.f.far), nullptr);
        fill(f.nu, 0, 0.5);
        fill(f.next.theta, -20, 20);
        fill(f.wet[0], -2e-3, 8e-3);
        fill(f.wet[1], 0, 4e-3);
        each_air([&](std::size_t at) {  // the edge of a plume, and dry air
            if (draw() < 0.4) f.wet[1][at] *= Real(std::pow(10.0, -30 * draw()));
            if (draw() < 0.3) f.wet[1][at] = 0;
        });
        for (Real* array : {f.nu, f.wet[0], f.wet[1]}) run.go_around(city_.p.grid, array, nullptr);
    }
    template <class Work>
    void each_air(const Work& work) const {
        city_.each([&](auto, auto, auto, std::size_t at) {
            if (city_.flags()[at] & flag::fluid) work(at);
        });
    }
    /// Compares a kernel's q, l and theta with those of the other kernel.
    template <class Drying>
    void compare(const Drying& by) {
        constexpr Real tau = Real(0.04);
        constexpr bool dries = !std::is_same_v<Drying, emulated_carry::no_drying>;
        const auto& run = kernels_on<moisture_kernels<Real>>(the_cpu);
        const std::vector<Real> theta(f.next.theta, f.next.theta + city_.p.grid.points());
        if constexpr (dries)
            run.carry_and_dry(f, tau, by, nullptr);
        else
            run.carry(f, tau, nullptr);
        std::vector<Real> warm(f.next.theta, f.next.theta + theta.size());
        std::copy(theta.begin(), theta.end(), f.next.theta);
        const emulated_carry::carry_one<Real, Drying> body(f, tau, by);
        std::size_t wrong = 0, traces = 0, evaporating = 0;
        city_.each([&](std::size_t k, std::size_t j, std::size_t i, std::size_t at) {
            const cpu::cell c{k, j, i, at};
            const bool inner = f.far[at] != 0;
            const auto same = [&](const auto& own) {
                wrong += f.wet_next[0][at] != own.wet[0] || f.wet_next[1][at] != own.wet[1];
                if (dries) wrong += warm[at] != own.theta;
                evaporating += dries && own.theta != theta[at];
            };
            same(body.template value<true>(c));
            if (inner) same(body.template value<false>(c));
            const double l = f.wet_next[1][at];
            traces += !dries && l != 0 && l < cpu::least_water;
        });
        const grid& g = city_.p.grid;
        std::size_t by_columns = 0;
        for (const std::size_t first :
             {std::size_t{0}, std::size_t{2}})  // planes where a tile begins
            for (std::size_t j = 0; j < g.size.y; ++j)
                for (std::size_t i = 0; i + 2 <= g.size.x; i += 2) {
                    const auto row = static_cast<cpu::index>(g.row());
                    const auto plane = static_cast<cpu::index>(g.plane());
                    emulated_carry::water_column<Real> column;
                    cpu::index at = g.at(first, j, i);
                    column.begin(body, at, row, plane);
                    for (std::size_t k = first; k < g.size.z; ++k, at += plane) {
                        column.compute(body, at, row, plane, {});
                        for (unsigned m = 0; m < 2; ++m) {
                            if (column.look(f.far[at + m]).beside_wall) continue;
                            ++by_columns;
                            wrong += f.wet_next[0][at + m] != column.next[0][m] ||
                                     f.wet_next[1][at + m] != column.next[1][m];
                            if (dries) wrong += warm[at + m] != column.theta[m];
                        }
                    }
                }
        EXPECT_EQ(wrong, 0u);
        columns += by_columns;
        EXPECT_EQ(traces, 0u);
        EXPECT_EQ(evaporating > city_.p.grid.size.cells() / 3, dries);
    }
    void compare_both() {
        compare(emulated_carry::no_drying{});
        compare(drying_of<Real>(city_.p.air, 0.1));
    }

    flow_arguments<Real> f;
    std::size_t columns = 0;  ///< cells that were computed by columns, too

private:
    static parameters with_mist(parameters p) {
        p.mist = {0, 0, 0, 1e-3};
        p.grid = p.whole_grid();
        return p;
    }
    double draw() { return std::uniform_real_distribution<double>(0, 1)(random_); }
    void fill(Real* array, double least, double most) {
        each_air([&](std::size_t at) { array[at] = Real(least + (most - least) * draw()); });
    }

    std::mt19937 random_{7};
    small_city<Real> city_;
};

/// `seldom`: cells of the ground for each with a tower.
parameters towers(extents size, std::size_t seldom = 11) {
    parameters p = city_of(size, 2);
    for (std::size_t n = 0; n < p.heights.size(); ++n)
        p.heights[n] = static_cast<std::uint16_t>(n * n % seldom == 3 ? n % 4 : 0);
    return p;
}

/// Rows of several pieces, in several blocks.
TEST(LesCarry, EachCellHasTheSixFluxesOfItsOwn) {
    misty_air<float>(towers({1030, 40, 6})).compare_both();
    misty_air<double>(towers({270, 70, 6})).compare_both();
}

template <class Real>
void expect_the_same_by_columns(const parameters& p) {
    misty_air<Real> air(p);
    air.compare_both();
    EXPECT_GT(air.columns, p.grid.size.cells() / 2);
}
TEST(LesCarry, ColumnsHaveTheSameBits) {
    expect_the_same_by_columns<float>(towers({130, 40, 12}, 397));
    expect_the_same_by_columns<double>(towers({64, 36, 10}, 397));
    expect_the_same_by_columns<float>(city_of({64, 24, 12}, 2));  // without walls
}

/// Most air has room for all droplets after one step of Newton; it gets the same as by five.
TEST(LesCarry, OneStepOfNewtonIsEnoughWhereThereIsRoom) {
    const auto by = drying_of<double>(constants{}, 0.1);
    std::mt19937 random{3};
    std::uniform_real_distribution<double> from(0, 1);
    std::size_t once = 0;
    for (int n = 0; n < 10000; ++n) {
        const double l = 5e-3 * from(random);
        const cpu::damp_air<double> air{by, 20 * from(random) - 10, 0.012 * from(random) - 0.008};
        const double first = air.step(0), last = air.last(first);
        const bool enough = air.has_room(l, first);
        once += enough;
        EXPECT_TRUE(!enough || air.taken(l, first) == air.taken(l, last)) << l << " " << first;
        EXPECT_TRUE(first <= 0 || last >= first * (1 - 1e-12)) << l << " " << first;
    }
    EXPECT_GT(once, 1000u);
    EXPECT_LT(once, 9000u);
}

}  // namespace
}  // namespace watari::les
