/// The kernels of CG. Bytes: bytes.hpp.
#pragma once

#include "watari/core/dispatch.hpp"
#include "watari/core/parallel/pieces.hpp"
#include "watari/krylov/kernels/state.hpp"

namespace watari::krylov {

template <class T>
struct cg_kernels {
    using state = system_state<wide<T>>;

    /// alpha = rho / <p,q>, from dots with left = p. If <p,q> is not positive, the system ends.
    void (*curvature)(state*, std::size_t systems, partial_sums, stream_t);
    /// x += alpha p; r -= alpha q; sums |r|^2. Reads 4, writes 2.
    void (*update)(const pieces&, const state*, T* x, T* r, const T* p, const T* q,
                   double* partials, stream_t);
    /// Computes and tests the residual; without a preconditioner sets rho = |r|^2 and beta.
    void (*updated)(state*, std::size_t systems, partial_sums, const limits&, bool preconditioned,
                    stream_t);
    /// Sets rho = <r,z>, from dots with left = r, and beta.
    void (*conditioned)(state*, std::size_t systems, partial_sums, stream_t);
    /// p = z + beta p, or p = z if `fresh`. Reads 2, writes 1.
    void (*direction)(const pieces&, const state*, T* p, const T* z, stream_t);
    static const cg_kernels cpu, gpu;
};

}  // namespace watari::krylov
