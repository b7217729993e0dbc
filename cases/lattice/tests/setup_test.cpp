// Links, source and sums, compared with the values published for the benchmark's data.
#include "../native/problem/clover.hpp"
#include "../native/problem/random.hpp"
#include "lattice_fields.hpp"

namespace watari::lattice {
namespace {

struct published {
    extents size;
    double log_det, plaquette, links_re, links_im, source_re, source_im, source_norm2;
};

const published values[] = {{{4, 4, 4, 4},
                             -1.75482396353598,
                             0.948512999703605,
                             3031.031875286,
                             -5.704711486,
                             -72.479088193,
                             -67.903847468,
                             1506.11920379454},
                            {{8, 8, 8, 16},
                             -57.877906765333961,
                             0.947838488172669,
                             96998.090205745,
                             54.807048221,
                             -121.786443863,
                             265.752563467,
                             48849.2132086834}};

class LatticeSetup : public testing::TestWithParam<published> {};

TEST_P(LatticeSetup, HasThePublishedSums) {
    const published& known = GetParam();
    const auto& run = kernels_on<kernels<double>>(the_cpu);
    const geometry where{known.size, 1};
    const std::size_t half = known.size.half(), vector = half * spinor;
    numbers_of links(8 * half * 9), clover(2 * half * packed), source(2 * vector);
    std::vector<double> sums(scratch({.style = "", .processor = the_cpu, .size = known.size}));
    run.draw_links(where, 9, links.data(), nullptr);
    run.sum_links(where, 9, links.data(), sums.data(), nullptr);
    EXPECT_NEAR(sums[0] / 18 / static_cast<double>(known.size.sites()), known.plaquette, 1e-14);
    EXPECT_NEAR(sums[1], known.links_re, 1e-8);
    EXPECT_NEAR(sums[2], known.links_im, 1e-8);
    run.make_clover(where, 9, links.data(), clover.data(), sums.data(), nullptr);
    EXPECT_NEAR(sums[0], known.log_det, 1e-9 * std::abs(known.log_det));
    for (const unsigned parity : {0u, 1u})
        run.draw_source(where, parity, source.data() + parity * vector, nullptr);
    number sum;
    for (const number& each : source) sum += each;
    EXPECT_NEAR(sum.re, known.source_re, 1e-8);
    EXPECT_NEAR(sum.im, known.source_im, 1e-8);
    run.norm(vector, source.data(), sums.data(), nullptr);
    EXPECT_NEAR(sums[0], known.source_norm2, 1e-9 * known.source_norm2);
}

INSTANTIATE_TEST_SUITE_P(Of, LatticeSetup, testing::ValuesIn(values));

TEST(LatticeRandom, BeginsAsPublished) {
    auto draw = cpu::random_numbers::after(0);
    for (const std::uint32_t state : {1487781685u, 2142238401u, 1913623197u}) {
        draw.next();
        EXPECT_EQ(draw.state, state);
    }
    EXPECT_EQ(cpu::random_numbers::after(2).state, 2142238401u);
    EXPECT_EQ(cpu::random_numbers::after((std::uint64_t{1} << 29) + 3).state, 1913623197u);
}

TEST(LatticeLinks, AreUnitaryAndBeginAsPublished) {
    constexpr extents size{4, 4, 4, 6};
    each_point(size, [&](unsigned parity, unsigned, const point& p) {
        for (unsigned direction = 0; direction < 4; ++direction) {
            const auto u = cpu::drawn_link(size, parity, direction, p);
            const auto one = cpu::product(u, cpu::adjoint(u));
            for (unsigned a = 0; a < 9; ++a)
                EXPECT_LT(squared_size(one.e[a / 3][a % 3] - number(a % 4 == 0 ? 1 : 0)), 1.6e-29);
            auto made = u;
            cpu::complete(made.e);  // determinant 1
            for (unsigned j = 0; j < 3; ++j)
                EXPECT_LT(squared_size(made.e[2][j] - u.e[2][j]), 1e-28);
        }
    });
    const auto first = cpu::drawn_link(size, 0, 0, {{0, 0, 0, 0}});
    EXPECT_NEAR(first.e[0][0].re, 0.993957462794951, 1e-15);
    EXPECT_NEAR(first.e[0][0].im, -0.060575257283801, 1e-15);
}

TEST(LatticeGeometry, NumbersAndNeighboursAgree) {
    constexpr extents size{2, 4, 6, 8};
    each_point(size, [&](unsigned parity, unsigned n, const point& p) {
        EXPECT_EQ(p.parity(), parity);
        EXPECT_EQ(number_of(size, p), n);
        for (unsigned d = 0; d < 4; ++d)
            for (const bool forward : {true, false}) {
                const point next = moved(size, p, d, forward);
                EXPECT_EQ(next.parity(), 1 - parity);
                EXPECT_EQ(number_of(size, moved(size, next, d, !forward)), n);
            }
    });
}

}  // namespace
}  // namespace watari::lattice
