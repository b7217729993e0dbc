/// Bytes and flops of an even site, as the benchmark and the bounds count them.
///
/// A hop with F^-1, in real numbers: 8 links of 18 or 12, 72 of F^-1, and for each right-hand side
/// a spinor of 24 read and one written. Right-hand sides share links and F^-1. A step of BiCGStab:
/// two applications of D, each with two hops and one spinor for the diagonal term, and the vectors
/// that krylov/bytes.hpp counts.
#pragma once

#include "../lattice.hpp"
#include "watari/krylov/bytes.hpp"

namespace watari::lattice {

inline constexpr double hop_flops = 1896;   ///< hop 1320, F^-1 576
inline constexpr double step_flops = 8688;  ///< 2 x (2 x 1896 + 48) and 1008 for vectors

constexpr double hop_bytes(unsigned links, std::size_t rhs, std::size_t real) {
    return static_cast<double>((8 * links + 72 + rhs * 48) * real);
}

/// Whether an application of D also computes the sums of BiCGStab: not on several ranks, which
/// compute edges later.
constexpr bool sums_on_the_way(kernel which, bool divided) {
    return which == kernel::tuned && !divided;
}

constexpr double step_bytes(const parameters& p) {
    const std::size_t real =
        p.arithmetic == arithmetic::double_precision ? sizeof(double) : sizeof(float);
    const std::size_t vector = p.rhs * 24 * real;
    const auto own = krylov::bicgstab_step_traffic(sums_on_the_way(p.kernel, p.part != nullptr));
    return 2 * (2 * hop_bytes(p.links, p.rhs, real) + static_cast<double>(vector)) +
           static_cast<double>(own.bytes(vector));
}

}  // namespace watari::lattice
