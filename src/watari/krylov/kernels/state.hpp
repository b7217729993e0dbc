/// The scalars of one system. They lie in the processor's memory: kernels make and read them, and
/// the host looks at them only to see whether to go on.
#pragma once

#include "watari/core/complex.hpp"
#include "watari/krylov/kernels/ending.hpp"

#include <cstdint>

// What is instantiated for each type of element.
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
    double reference;      ///< the largest since low-precision vectors were renewed
    double scale;          ///< what a low-precision vector is multiplied by; 1 where there is none
    std::uint32_t iterations, applications, best_at;
    ending reason;
    bool owed;     ///< ended at a half step: x still lacks alpha p
    bool fresh;    ///< the next direction is the residual
    bool renewed;  ///< p lacks the residual, which is another; BiCGStab
    bool renew;    ///< low-precision vectors are to be renewed
    bool open;     ///< GMRES: this cycle goes on
    bool stuck;    ///< no way on: GMRES, of this cycle; with low precision, after a breakdown

    /// With low precision: whether the residual is to be computed in high precision.
    constexpr bool is_due() const {
        return reason == ending::running ? renew : reason == ending::breakdown && !stuck;
    }
};

/// What steps compare with.
struct limits {
    double relative, absolute;
    std::uint32_t stagnation;
    double delta;  ///< renew low-precision vectors at this part of `reference`; 0: there are none
};

/// Two real vectors, in doubles: what the sums of a dot and a norm take.
template <class T>
inline constexpr unsigned parts = is_complex<T> ? 2 : 1;

/// Values of <left,y>, |y|^2, and with another vector of <other,y>, <other,left> too.
template <class T, bool Other = false>
inline constexpr unsigned dots_width = Other ? 3 * parts<T> + 1 : parts<T> + 1;

}  // namespace watari::krylov
