/// The scalars of one system, in the processor's memory. Kernels write and read them; the host
/// reads them only to decide whether to continue.
#pragma once

#include "watari/core/complex.hpp"
#include "watari/krylov/kernels/ending.hpp"

#include <cstdint>

// Applies Of to each type of element, to instantiate templates.
#define WATARI_EACH_SCALAR(Of) \
    Of(float) Of(double) Of(::watari::complex<float>) Of(::watari::complex<double>)

namespace watari::krylov {

template <class Wide>
struct system_state {
    Wide rho, previous, alpha, beta, omega;
    double norm_b, target;
    double residual;       ///< the recursive one
    double true_residual;  ///< at the end
    double first;          ///< the residual at the start, |r~|
    double best;           ///< the smallest residual so far
    double reference;      ///< the largest residual since low-precision vectors were renewed
    double scale;          ///< factor of low-precision vectors; 1 where there are none
    std::uint32_t iterations, applications, best_at;
    ending reason;
    bool owed;     ///< ended at a half step: x still lacks alpha p
    bool fresh;    ///< the next direction is the residual
    bool renewed;  ///< BiCGStab: r was replaced, and p lacks the new r
    bool renew;    ///< low-precision vectors are to be renewed
    bool open;     ///< GMRES: this cycle continues
    bool stuck;    ///< GMRES: no progress in this cycle; low precision: none after a breakdown

    /// With low precision: whether the residual is to be computed in high precision.
    constexpr bool is_due() const {
        return reason == ending::running ? renew : reason == ending::breakdown && !stuck;
    }
};

/// The limits that steps test.
struct limits {
    double relative, absolute;
    std::uint32_t stagnation;
    double delta;  ///< renew low-precision vectors below delta * reference; 0: there are none
};

/// Doubles of a scalar, and so of a sum of products: 2 if T is complex.
template <class T>
inline constexpr unsigned parts = is_complex<T> ? 2 : 1;

/// Doubles of <left,y> and |y|^2; with Other also of <other,y> and <other,left>.
template <class T, bool Other = false>
inline constexpr unsigned dots_width = Other ? 3 * parts<T> + 1 : parts<T> + 1;

}  // namespace watari::krylov
