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
    /// Computes and tests the residual of the half step.
    void (*halved)(state*, std::size_t systems, partial_sums, const limits&, stream_t);
    /// omega = <t,r> / |t|^2, rho' = <r~,r> - omega <r~,t> and beta = (rho' / rho) (alpha / omega),
    /// from dots with left = r, other = r~.
    void (*omega)(state*, std::size_t systems, partial_sums, stream_t);
    /// x += M^-1 (alpha p + omega r); r -= omega t; p = r + beta (p - omega q); sums |r|^2.
    /// x += alpha M^-1 p if a system ended at its half step. Reads 5, or 7 if M^-1 p and M^-1 r are
    /// separate vectors; writes 3.
    void (*full)(const pieces&, const state*, T* x, T* r, T* p, const T* p_made, const T* s_made,
                 const T* t, const T* q, double* partials, stream_t);
    /// Computes and tests the residual; tests rho.
    void (*updated)(state*, std::size_t systems, partial_sums, const limits&, stream_t);
    /// p = r~ = r if `fresh`, p = r + beta p if r was renewed. Reads 1 or 2, writes 2 or 1; called
    /// at the start and after renewals.
    void (*direction)(const pieces&, const state*, T* p, T* shadow, const T* r, stream_t);
    static const bicgstab_kernels cpu, gpu;
};

}  // namespace watari::krylov
