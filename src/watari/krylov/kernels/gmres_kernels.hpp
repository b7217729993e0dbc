/// The kernels of GMRES. Bytes: bytes.hpp.
#pragma once

#include "watari/core/dispatch.hpp"
#include "watari/core/parallel/pieces.hpp"
#include "watari/krylov/kernels/state.hpp"

namespace watari::krylov {

/// The small matrices of all systems. Rotations turn each new column of H into one of a triangle.
template <class Wide>
struct hessenberg {
    std::size_t restart;
    Wide* h;     ///< [system][column][restart + 1]
    Wide* dot;   ///< [system][restart]: products <v_i, w> of the last Gram-Schmidt pass
    Wide* sine;  ///< [system][restart], like y and cosine
    Wide* g;     ///< [system][restart + 1]: the rotated right-hand side
    Wide* y;     ///< the solution of the triangular system
    double* cosine;
    double* inverse;         ///< [system]: 1 / |w|
    std::uint32_t* columns;  ///< [system]: columns of this cycle

    constexpr Wide* column(std::size_t system, std::size_t j) const {
        return h + (system * restart + j) * (restart + 1);
    }
};

/// Vectors of one kind: vector i begins `stride` elements after vector i - 1.
template <class T>
struct basis {
    T* data;
    std::size_t stride;

    constexpr T* operator[](std::size_t i) const { return data + i * stride; }
};

template <class T>
struct gmres_kernels {
    using state = system_state<wide<T>>;
    using small = hessenberg<wide<T>>;

    /// Begins a cycle: g = |r|, no columns.
    void (*open)(state*, const small&, std::size_t systems, stream_t);
    /// w /= |w|. Reads 1, writes 1.
    void (*normalise)(const pieces&, const state*, const small&, T* w, stream_t);
    /// Sums <v_i, w> for i < count. Reads count + 1.
    void (*project)(const pieces&, const state*, const basis<T>& v, std::size_t count, const T* w,
                    double* partials, stream_t);
    /// Stores these sums as `dot`, and adds them to the last column of H; unless `again`, replaces
    /// it.
    void (*projected)(const state*, const small&, std::size_t systems, std::size_t count,
                      partial_sums, bool again, stream_t);
    /// w -= sum of dot_i v_i; sums |w|^2. Reads count + 1, writes 1.
    void (*subtract)(const pieces&, const state*, const small&, const basis<T>& v,
                     std::size_t count, T* w, double* partials, stream_t);
    /// Rotates column j; computes and tests the residual.
    void (*column)(state*, const small&, std::size_t systems, std::size_t j, partial_sums,
                   const limits&, stream_t);
    /// Solves the triangular system for y.
    void (*solve)(state*, const small&, std::size_t systems, stream_t);
    /// x += sum of y_i v_i; if `fresh`, x = the sum. Reads columns + 1, writes 1.
    void (*combine)(const pieces&, const small&, const basis<T>& v, T* x, bool fresh, stream_t);
    /// x += z where the cycle has columns. Reads 2, writes 1.
    void (*add)(const pieces&, const small&, T* x, const T* z, stream_t);
    /// Computes and tests the true residual at the end of a cycle.
    void (*closed)(state*, std::size_t systems, partial_sums, stream_t);
    static const gmres_kernels cpu, gpu;
};

}  // namespace watari::krylov
