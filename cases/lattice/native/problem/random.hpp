/// The random numbers of the CCS QCD solver: s = 48828125 s mod 2^31 from 12345, in one global
/// order for any number of ranks. The state after k draws is 12345 * 48828125^k mod 2^31, so each
/// site computes its own first state.
///
/// First come the momenta of even sites, then of odd sites: for direction, x, y, z a row has 8 t/2
/// pairs (angle, radius). Then come the even and the odd source: for x, y, z 12 t/2 pairs (radius,
/// angle).
#pragma once

#include "geometry.hpp"
#include "matrix.hpp"

#include <cmath>
#include <cstdint>

namespace watari::WATARI_BACKEND {

struct random_numbers {
    std::uint32_t state;

    static constexpr std::uint32_t mask = 0x7fffffff, factor = 48828125;

    /// The generator after `drawn` numbers.
    WATARI_KERNEL static random_numbers after(std::uint64_t drawn) {
        std::uint32_t result = 12345, power = factor;
        for (; drawn > 0; drawn /= 2) {
            if (drawn % 2) result *= power;
            power *= power;
        }
        return {result & mask};
    }
    /// The next number, in (0, 1].
    WATARI_KERNEL double next() {
        state = state * factor & mask;
        return state / 2147483647.0;
    }
};

inline constexpr double two_pi = 6.283185307179586476925286766559;

/// U = exp(0.1 i P), P = sum over c of w_c lambda_c / sqrt 2. Generator c at h uses number c + 3 h
/// of its row: a slip of the original, on which all published numbers depend. Not inlined, like
/// other functions that only setup calls: a kernel would contain 96 copies, which take long to
/// compile.
[[gnu::noinline]] WATARI_KERNEL inline matrix drawn_link(const lattice::extents& size,
                                                         unsigned parity, unsigned direction,
                                                         const lattice::point& p) {
    const std::uint64_t row =
        ((std::uint64_t{direction} * size.x + p.at[0]) * size.y + p.at[1]) * size.z + p.at[2];
    const std::uint64_t h = p.at[3] / 2;
    auto draw = random_numbers::after(parity * 32 * size.sites() + row * 8 * size.t + 6 * h);
    double w[8];
    for (double& each : w) {
        const double angle = draw.next(), radius = draw.next();
        each = sqrt(-2 * log(radius)) * sin(two_pi * angle);
    }
    const double scale = 0.1 / sqrt(2.0), last = w[7] / sqrt(3.0);
    const complex<double> up[3] = {{w[0], -w[1]}, {w[3], -w[4]}, {w[5], -w[6]}};  // 01, 02, 12
    matrix momentum{{{w[2] + last, up[0], up[1]},
                     {conjugate(up[0]), last - w[2], up[2]},
                     {conjugate(up[1]), conjugate(up[2]), -2 * last}}};
    for (auto& r : momentum.e)
        for (auto& each : r) each = each * complex<double>(0, scale);
    return exponential(momentum);
}

/// Component a = 3 spin + colour of the source.
[[gnu::noinline]] WATARI_KERNEL inline complex<double> drawn_source(const lattice::extents& size,
                                                                    unsigned parity,
                                                                    const lattice::point& p,
                                                                    unsigned a) {
    const std::uint64_t row = (std::uint64_t{p.at[0]} * size.y + p.at[1]) * size.z + p.at[2];
    const std::uint64_t h = p.at[3] / 2;
    auto draw = random_numbers::after((64 + parity * 12) * size.sites() + row * 12 * size.t +
                                      2 * (a + 12 * h));
    const double radius = sqrt(-log(draw.next())), angle = two_pi * draw.next();
    return {radius * cos(angle), radius * sin(angle)};
}

}  // namespace watari::WATARI_BACKEND
