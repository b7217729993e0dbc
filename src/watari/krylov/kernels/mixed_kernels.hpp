/// The kernels that join low-precision vectors of a solver to the caller's high-precision ones.
#pragma once

#include "watari/core/dispatch.hpp"
#include "watari/core/parallel/pieces.hpp"
#include "watari/krylov/kernels/state.hpp"

namespace watari::krylov {

template <class T>
struct lower_of;
template <>
struct lower_of<double> {
    using type = float;
};
template <>
struct lower_of<complex<double>> {
    using type = complex<float>;
};

/// The type of half the bytes.
template <class T>
using lower = typename lower_of<T>::type;

/// The value of rho after a renewal: <r~,r>, |r|^2, or a value that the solver computes later.
enum class rho_of { shadow, residual, later };

/// T is the high precision, L the low one. Vectors of L hold values divided by `scale`.
template <class T>
struct mixed_kernels {
    using state = system_state<wide<T>>;
    using L = lower<T>;

    /// At the start: scale = |r|, rho of r / scale, which is 1, and y = 0.
    void (*scale)(const pieces&, state*, L* y, stream_t);
    /// x += scale y; y = 0, for systems that are to be renewed, or for all. Reads T and L, writes
    /// both.
    void (*accumulate)(const pieces&, const state*, T* x, L* y, bool all, stream_t);
    /// p -= r; r = (b - q) / scale for systems that are to be renewed; sums <r~,r>, |b - q|^2. p
    /// and r~ may be null. Reads 2 T and 3 L, writes 2 L.
    void (*renew)(const pieces&, const state*, const T* b, const T* q, L* r, L* p, const L* shadow,
                  double* partials, stream_t);
    /// Computes and tests the true residual; updates rho and, with it, beta.
    void (*renewed)(state*, std::size_t systems, partial_sums, const limits&, rho_of, stream_t);
    static const mixed_kernels cpu, gpu;
};

}  // namespace watari::krylov
