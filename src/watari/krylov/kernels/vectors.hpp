/// Kernels that all solvers use, one table per backend and type of element. Bytes: bytes.hpp. On a
/// GPU all of them return before they are done.
#pragma once

#include "watari/core/dispatch.hpp"
#include "watari/core/parallel/pieces.hpp"
#include "watari/krylov/kernels/state.hpp"

namespace watari::krylov {

template <class T>
struct vector_kernels {
    using state = system_state<wide<T>>;

    /// r = b - q, or r = b and x = 0 where q is null; sums |r|^2, |b|^2, number of b_i that are not
    /// 0. r may be null. Reads 2, writes 1.
    void (*start)(const pieces&, const T* b, const T* q, T* r, T* x, double* partials, stream_t);
    /// Sets the states of the first iteration from the sums of `start`.
    void (*begin)(state*, std::size_t systems, partial_sums, const limits&, stream_t);
    /// Sums <left,y>, |y|^2 of systems that run, and where other is not null <other,y>,
    /// <other,left>. Reads 2 or 3.
    void (*dots)(const pieces&, const state*, const T* left, const T* y, const T* other,
                 double* partials, stream_t);
    /// r = b - q; sums |r|^2. r may be null. Reads 2, writes 0 or 1.
    void (*residual)(const pieces&, const T* b, const T* q, T* r, double* partials, stream_t);
    /// Sets true_residual from this sum; x = 0 where b = 0.
    void (*finish)(const pieces&, state*, partial_sums, T* x, stream_t);
    /// fold_partials of core/parallel/reductions.hpp.
    partial_sums (*fold)(double* partials, std::size_t count, std::size_t systems,
                         std::size_t width, stream_t);
    static const vector_kernels cpu, gpu;
};

}  // namespace watari::krylov
