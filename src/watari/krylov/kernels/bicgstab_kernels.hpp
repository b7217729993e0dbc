/// The kernels of BiCGStab. Bytes: bytes.hpp.
#pragma once

#include "watari/core/dispatch.hpp"
#include "watari/core/parallel/pieces.hpp"
#include "watari/krylov/kernels/state.hpp"

namespace watari::krylov {

template <class T>
struct bicgstab_kernels {
    using state = system_state<wide<T>>;

    /// alpha = rho / <r~,q>, from dots with left = r~.
    void (*alpha)(state*, std::size_t systems, partial_sums, stream_t);
    /// r -= alpha q; sums |r|^2. Reads 2, writes 1.
    void (*half)(const pieces&, const state*, T* r, const T* q, double* partials, stream_t);
    /// The residual of the half step and its test.
    void (*halved)(state*, std::size_t systems, partial_sums, const limits&, stream_t);
    /// omega = <t,r> / |t|^2, from dots with left = r.
    void (*omega)(state*, std::size_t systems, partial_sums, stream_t);
    /// x += alpha p + omega s; r -= omega t; sums <r~,r>, |r|^2. x += alpha p where a system ended
    /// at its half step. Reads 5, or 6 where s is not r; writes 2.
    void (*full)(const pieces&, const state*, T* x, T* r, const T* p, const T* s, const T* t,
                 const T* shadow, double* partials, stream_t);
    /// The residual and its test; rho and beta = (rho / previous) (alpha / omega).
    void (*updated)(state*, std::size_t systems, partial_sums, const limits&, stream_t);
    /// p = r + beta (p - omega q), or p = r~ = r where it is fresh. Reads 3, writes 1.
    void (*direction)(const pieces&, const state*, T* p, T* shadow, const T* r, const T* q,
                      stream_t);
    static const bicgstab_kernels cpu, gpu;
};

}  // namespace watari::krylov
