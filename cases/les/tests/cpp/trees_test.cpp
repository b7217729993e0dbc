// Trees: what leaves do to the wind.
#include "../../native/flow/leaves.hpp"
#include "radiant_city.hpp"

#include <random>

namespace watari::les {
namespace {

/// Some leaves, dense and thin, beside a block, at the edges of the grid and in one cell twice.
parameters with_trees(parameters p) {
    p.trees = {0, 3, 0, 0.5, 0, 3, 1, 0.25, 15, 0, 2, 1, 15, 15,  15, 0.5, 4, 6,
               1, 1, 4, 6,   2, 2, 4, 6,    2,  1, 5, 6, 6,  0.5, 8,  2,   0, 0.125};
    return p;
}

TEST(LesTrees, LeavesSlowAirToItsTerminalSpeed) {
    parameters p = with_layer(city_of({8, 8, 8}, 2), 0.5, 0, 8);
    p.air = inviscid();
    p.air.ground = surface::slip;
    p.air.force[0] = 0.02;
    p.dt = 0.5;
    small_city<double> city(p);
    city.set({still, still, still, still});
    started air(city);
    const double drag = leaf_drag * 0.5, terminal = std::sqrt(0.02 / drag);
    for (int step = 1; step <= 60; ++step) {
        air.step(nullptr);
        const double known = terminal * std::tanh(step * p.dt * std::sqrt(0.02 * drag));
        city.each([&](auto, auto, auto, std::size_t at) {
            ASSERT_NEAR(air.flow().now.velocity[0][at], known, 1e-6 * terminal) << step;
        });
    }
    const leaf_work work =
        kernels_on<leaf_kernels<double>>(the_cpu).look(air.flow(), air.leaves(), 2.0, nullptr);
    const double u = air.flow().now.velocity[0][city.p.grid.at(3, 3, 3)];
    EXPECT_NEAR(work.fastest, drag * u, 1e-9);
    EXPECT_NEAR(work.power, 512 * 2.0 * drag * u * u * u, 1e-6 * work.power);
}

/// Density of a cell of the whole periodic city; 0 beyond ground and lid.
double density_at(const parameters& p, std::ptrdiff_t k, std::ptrdiff_t j, std::ptrdiff_t i) {
    const auto wrapped = [](std::ptrdiff_t n, std::size_t all) {
        return (static_cast<std::size_t>(n) + all) % all;
    };
    double sum = 0;
    for (std::size_t n = 0; n < p.trees.size(); n += 4)
        if (p.trees[n] == double(wrapped(i, p.whole.x)) &&
            p.trees[n + 1] == double(wrapped(j, p.whole.y)) && p.trees[n + 2] == double(k))
            sum += p.trees[n + 3];
    return sum;
}

template <class Real>
void compare_drag() {
    small_city<Real> city(with_trees(city_of({16, 16, 16}, 2, 5, 10, 6)));
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> random(-3, 3);
    for (unsigned n = 0; n < 3; ++n)
        city.set(n, [&](double, double, double) { return random(engine); });
    auto f = flow_of<Real>(city.f, city.p);
    const auto leaves = leaves_in<Real>(city.f.facets, city.p);
    const stage_factors<Real> by{Real(0.5), Real(0.25), Real(0.125)};
    kernels_on<leaf_kernels<Real>>(the_cpu).slow(f, leaves, stage::middle, by, nullptr);
    const std::size_t step[3] = {1, city.p.grid.row(), city.p.grid.plane()};
    std::size_t slowed = 0;
    city.each([&](std::size_t k, std::size_t j, std::size_t i, std::size_t at) {
        const auto z = std::ptrdiff_t(k), y = std::ptrdiff_t(j), x = std::ptrdiff_t(i);
        for (unsigned a = 0; a < 3; ++a) {
            const double mean = (density_at(city.p, z, y, x) +
                                 density_at(city.p, z - (a == 2), y - (a == 1), x - (a == 0))) /
                                2;
            double u[3];
            for (unsigned b = 0; b < 3; ++b) {
                const Real* const of = f.now.velocity[b];
                u[b] = b == a ? double(of[at])
                              : (double(of[at]) + double(of[at - step[a]]) +
                                 double(of[at + step[b]]) + double(of[at + step[b] - step[a]])) /
                                    4;
            }
            const bool open = (city.flags()[at] & flag::low(a)) != 0;
            const double speed = std::sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
            const double less = open ? 0.125 * leaf_drag * mean * speed * u[a] : 0;
            slowed += less != 0;
            EXPECT_NEAR(f.q[a][at], -less, 1e-6) << a << ' ' << k << ' ' << j << ' ' << i;
            EXPECT_NEAR(f.next.velocity[a][at], -0.25 * less, 1e-6);
        }
        // what the divergence of the last cells reads
        if (i == 0) {
            EXPECT_EQ(f.next.velocity[0][at], f.next.velocity[0][at + city.p.whole.x]);
        }
        if (j == 0) {
            const std::size_t copy = at + city.p.whole.y * city.p.grid.row();
            EXPECT_EQ(f.next.velocity[1][at], f.next.velocity[1][copy]);
        }
    });
    EXPECT_EQ(slowed, leaves.all_faces());
    EXPECT_GT(slowed, 25u);
}

TEST(LesTrees, DragIsThatOfTheFormula) {
    compare_drag<double>();
    compare_drag<float>();
}

TEST(LesTrees, PartsHaveTheFacesOfTheWhole) {
    const parameters whole = with_trees(city_of({16, 16, 16}, 2, 5, 10, 6));
    const auto all = leaves_in<float>(nullptr, whole);
    leaf_arrays<float> sum;
    for (const std::size_t y : {0u, 8u})
        for (const std::size_t x : {0u, 8u}) {
            parameters part = whole;
            part.grid.size = {8, 8, 16};
            part.grid.origin = {x, y, 0};
            part.grid.around_x = part.grid.around_y = false;
            const auto own = leaves_in<float>(nullptr, part);
            for (unsigned a = 0; a < 3; ++a) sum.faces[a] += own.faces[a];
            sum.cells += own.cells;
        }
    for (unsigned a = 0; a < 3; ++a) EXPECT_EQ(sum.faces[a], all.faces[a]);
    EXPECT_EQ(sum.cells, all.cells);
    EXPECT_EQ(all.cells, leaf_places(whole).size());
    EXPECT_EQ(all.cells, 8u);  // one has two entries
}

TEST(LesTrees, ACityWithoutTreesHasNoBytesForThem) {
    const parameters p = city_of({16, 16, 16}, 2);
    EXPECT_EQ(leaves_bytes(p), 0u);
    EXPECT_GT(leaves_bytes(with_trees(p)), 0u);
}

}  // namespace
}  // namespace watari::les
