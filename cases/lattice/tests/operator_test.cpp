// Identities of the operator that hold for any links.
#include "../native/problem/clover.hpp"
#include "lattice_fields.hpp"

namespace watari::lattice {
namespace {

constexpr extents small{4, 6, 2, 8};
constexpr double rounding = 2e-13;

class LatticeOperator : public testing::TestWithParam<variant> {
protected:
    LatticeOperator() : fields(GetParam(), small) { fields.make_clover(); }

    numbers_of vector(unsigned seed, std::size_t systems = 1) const {
        return random_vector(systems * fields.half() * spinor, seed);
    }
    /// v by a block for the sum of the halves of each site's spinor, and one for their difference.
    template <class Block>
    numbers_of by_blocks(const numbers_of& v, const Block& block_at) const {
        numbers_of result(v.size());
        for (std::size_t site = 0; site < fields.half(); ++site) {
            const cpu::block of[] = {block_at(site, 0), block_at(site, 1)};
            for (unsigned r = 0; r < 6; ++r) {
                number difference, sum;
                for (unsigned c = 0; c < 6; ++c) {
                    const number u = v[site * spinor + c], l = v[site * spinor + 6 + c];
                    difference += of[0].e[r][c] * (u - l);
                    sum += of[1].e[r][c] * (u + l);
                }
                result[site * spinor + r] = (sum + difference) * number(0.5);
                result[site * spinor + 6 + r] = (sum - difference) * number(0.5);
            }
        }
        return result;
    }
    /// F v on one parity, from the stored inverse.
    numbers_of times_f(unsigned parity, const numbers_of& v) const {
        return by_blocks(v, [&](std::size_t site, unsigned which) {
            double ignored = 0;
            return cpu::inverse(inverse_at(parity, site, which), ignored);
        });
    }
    /// F^-1 v, by the stored blocks.
    numbers_of over_f(unsigned parity, const numbers_of& v) const {
        return by_blocks(
            v, [&](std::size_t site, unsigned which) { return inverse_at(parity, site, which); });
    }
    /// D_ee v.
    numbers_of matrix(const numbers_of& v) const {
        numbers_of result = fields.hop(0, fields.hop(1, v, true), true);
        for (std::size_t i = 0; i < v.size(); ++i)
            result[i] = v[i] - number(kappa * kappa) * result[i];
        return result;
    }

    void each_link_is_one() {
        each_point(small, [&](unsigned, unsigned, const point& p) {
            for (unsigned direction = 0; direction < 4; ++direction)
                for (unsigned a = 0; a < 9; ++a) fields.link(direction, p, a) = a % 4 == 0 ? 1 : 0;
        });
    }
    /// (2 sum cos p - 2 i sum g sin p) v.
    static numbers_of free_hop(const unsigned (&momentum)[4], const numbers_of& v) {
        const number i(0, 1);
        numbers_of result(spinor);
        for (unsigned d = 0; d < 4; ++d) {
            const double angle = 2 * M_PI * momentum[d] / extent(small, d);
            for (unsigned c = 0; c < 3; ++c) {
                const auto at = [&](unsigned s) { return v[3 * s + c]; };
                const number g[4][4] = {{-i * at(3), -i * at(2), i * at(1), i * at(0)},
                                        {-at(3), at(2), at(1), -at(0)},
                                        {-i * at(2), i * at(3), i * at(0), -i * at(1)},
                                        {at(0), at(1), -at(2), -at(3)}};
                for (unsigned s = 0; s < 4; ++s)
                    result[3 * s + c] += number(2 * std::cos(angle)) * at(s) -
                                         i * number(2 * std::sin(angle)) * g[d][s];
            }
        }
        return result;
    }

    lattice_fields fields;

private:
    cpu::block inverse_at(unsigned parity, std::size_t site, unsigned which) const {
        const number* next =
            fields.clover().data() + (parity * fields.half() + site) * packed + 18 * which;
        cpu::block b{};
        for (int d = 0; d < 6; d += 2, ++next)
            b.e[d][d] = 2 * next->re, b.e[d + 1][d + 1] = 2 * next->im;
        for (int r = 1; r < 6; ++r)
            for (int c = 0; c < r; ++c, ++next) {
                b.e[r][c] = *next * number(2);
                b.e[c][r] = conjugate(b.e[r][c]);
            }
        return b;
    }
};

TEST_P(LatticeOperator, TheHopIsGamma5Hermitian) {
    const numbers_of even = vector(1), odd = vector(2);
    const number there = dot(even, fields.hop(0, odd, false));
    const number back = dot(gamma_5(fields.hop(1, gamma_5(even), false)), odd);
    EXPECT_NEAR(there.re, back.re, 1e-10);
    EXPECT_NEAR(there.im, back.im, 1e-10);
}

TEST_P(LatticeOperator, TimesFIsGamma5HermitianAndAloneIsNot) {
    const numbers_of u = vector(1), v = vector(2);
    const number there = dot(u, times_f(0, matrix(v)));
    const number back = dot(gamma_5(times_f(0, matrix(gamma_5(u)))), v);
    EXPECT_NEAR(there.re, back.re, 1e-10);
    EXPECT_NEAR(there.im, back.im, 1e-10);
    const number alone = dot(u, matrix(v)), turned = dot(gamma_5(matrix(gamma_5(u))), v);
    EXPECT_GT(squared_size(alone - turned), 1e-8);
}

TEST_P(LatticeOperator, TheInverseOfFIsOne) {
    const numbers_of v = vector(3);
    for (const unsigned parity : {0u, 1u})
        EXPECT_LT(difference(times_f(parity, over_f(parity, v)), v), rounding);
}

TEST_P(LatticeOperator, ItsClosingFactorIsTheInverseOfF) {
    const numbers_of v = vector(4);
    EXPECT_LT(difference(fields.hop(1, v, true), over_f(1, fields.hop(1, v, false))), rounding);
}

TEST_P(LatticeOperator, EvenOddIsTheFullOperator) {
    const numbers_of even = vector(5), odd = vector(6);
    const auto full = [&](unsigned parity, const numbers_of& own, const numbers_of& other) {
        numbers_of c = times_f(parity, own);
        const numbers_of m = fields.hop(parity, other, false);
        for (std::size_t i = 0; i < c.size(); ++i) c[i] -= number(kappa) * m[i];
        return c;
    };
    const numbers_of c_even = full(0, even, odd), c_odd = full(1, odd, even);
    numbers_of right = fields.hop(0, over_f(1, c_odd), false);
    for (std::size_t i = 0; i < right.size(); ++i) right[i] = c_even[i] + number(kappa) * right[i];
    EXPECT_LT(difference(matrix(even), over_f(0, right)), rounding);
}

TEST_P(LatticeOperator, FollowsAGaugeTransformation) {
    // g(n) is the random link of direction 0 at n; U_mu(n) becomes g(n) U_mu(n) g(n+mu)^+
    lattice_fields turned(GetParam(), small), g(GetParam(), small);
    const auto matrix_at = [](lattice_fields& of, unsigned direction, const point& p) {
        cpu::matrix u;
        for (unsigned a = 0; a < 9; ++a) u.e[a / 3][a % 3] = of.link(direction, p, a);
        return u;
    };
    each_point(small, [&](unsigned, unsigned, const point& p) {
        for (unsigned direction = 0; direction < 4; ++direction) {
            const cpu::matrix there = matrix_at(g, 0, moved(small, p, direction, true));
            const cpu::matrix u =
                cpu::product(cpu::product(matrix_at(g, 0, p), matrix_at(fields, direction, p)),
                             cpu::adjoint(there));
            for (unsigned a = 0; a < 9; ++a) turned.link(direction, p, a) = u.e[a / 3][a % 3];
        }
    });
    const auto transformed = [&](unsigned parity, const numbers_of& v) {
        numbers_of result(v.size());
        for (unsigned n = 0; n < fields.half(); ++n) {
            const cpu::matrix u = matrix_at(g, 0, point_of(small, parity, n));
            for (unsigned s = 0; s < 4; ++s)
                for (unsigned i = 0; i < 3; ++i)
                    for (unsigned j = 0; j < 3; ++j)
                        result[n * spinor + 3 * s + i] += u.e[i][j] * v[n * spinor + 3 * s + j];
        }
        return result;
    };
    EXPECT_GT(std::abs(turned.link(0, {}, 0).re - fields.link(0, {}, 0).re), 1e-6);
    EXPECT_NEAR(turned.plaquette(), fields.plaquette(), 1e-14);
    EXPECT_NEAR(turned.make_clover(), fields.make_clover(), 1e-11);
    const numbers_of v = vector(7);
    EXPECT_LT(
        difference(turned.hop(1, transformed(0, v), true), transformed(1, fields.hop(1, v, true))),
        rounding);
}

TEST_P(LatticeOperator, OfUnitLinksIsDiagonalInMomentum) {
    each_link_is_one();
    const unsigned momentum[4] = {1, 2, 1, 3};
    const auto phase = [&](const point& p) {
        double angle = 0;
        for (unsigned d = 0; d < 4; ++d)
            angle += 2 * M_PI * momentum[d] * p.at[d] / extent(small, d);
        return number(std::cos(angle), std::sin(angle));
    };
    const auto wave = [&](unsigned parity, const numbers_of& v) {
        numbers_of result(fields.half() * spinor);
        for (unsigned n = 0; n < fields.half(); ++n)
            for (unsigned a = 0; a < spinor; ++a)
                result[n * spinor + a] = phase(point_of(small, parity, n)) * v[a];
        return result;
    };
    const numbers_of v = random_vector(spinor, 8);
    EXPECT_LT(difference(fields.hop(0, wave(1, v), false), wave(0, free_hop(momentum, v))),
              rounding);
}

TEST_P(LatticeOperator, LinksOfTwelveNumbersAreTheSame) {
    lattice_fields twelve(GetParam(), small, 6);
    twelve.make_clover();
    const numbers_of v = vector(9);
    EXPECT_LT(difference(twelve.hop(0, v, true), fields.hop(0, v, true)), rounding);
}

TEST_P(LatticeOperator, SeveralSystemsAreEachAsAlone) {
    for (const std::size_t systems : {2, 3, 5}) {
        const numbers_of all = vector(10, systems), found = fields.hop(1, all, true, systems);
        const std::size_t length = fields.half() * spinor;
        for (std::size_t s = 0; s < systems; ++s) {
            const auto part = [&](const numbers_of& of) {
                return numbers_of(of.begin() + static_cast<std::ptrdiff_t>(s * length),
                                  of.begin() + static_cast<std::ptrdiff_t>((s + 1) * length));
            };
            EXPECT_LT(difference(part(found), fields.hop(1, part(all), true)), rounding);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(By, LatticeOperator, testing::ValuesIn(variants()), name);

}  // namespace
}  // namespace watari::lattice
