/// The kernels of GMRES. Bytes: bytes.hpp.
#pragma once

#include "watari/core/dispatch.hpp"
#include "watari/core/parallel/pieces.hpp"
#include "watari/krylov/kernels/state.hpp"

namespace watari::krylov {

/// The small matrices of all systems: column j of H, turned to a triangle by rotations as it comes.
template <class Wide>
struct hessenberg {
    std::size_t restart;
    Wide* h;     ///< [system][column][restart + 1]
    Wide* dot;   ///< [system][restart]: of the last pass of Gram and Schmidt
    Wide* sine;  ///< [system][restart], as those below
    Wide* g;     ///< [system][restart + 1]: the turned right-hand side
    Wide* y;     ///< what solves the triangle
    double* cosine;
    double* inverse;         ///< [system]: 1 / |w|
    std::uint32_t* columns;  ///< [system]: of this cycle

    constexpr Wide* column(std::size_t system, std::size_t j) const {
        return h + (system * restart + j) * (restart + 1);
    }
};

/// Vectors of one kind: number i begins `stride` elements after number i - 1.
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

    /// A cycle begins: g = |r|, no columns.
    void (*open)(state*, const small&, std::size_t systems, stream_t);
    /// w /= |w|. Reads 1, writes 1.
    void (*normalise)(const pieces&, const state*, const small&, T* w, stream_t);
    /// Sums <v_i, w> for i < count. Reads count + 1.
    void (*project)(const pieces&, const state*, const basis<T>& v, std::size_t count, const T* w,
                    double* partials, stream_t);
    /// These as `dot`, and added to the last column of H; the first time they make it.
    void (*projected)(const state*, const small&, std::size_t systems, std::size_t count,
                      partial_sums, bool again, stream_t);
    /// w -= sum of dot_i v_i; sums |w|^2. Reads count + 1, writes 1.
    void (*subtract)(const pieces&, const state*, const small&, const basis<T>& v,
                     std::size_t count, T* w, double* partials, stream_t);
    /// Turns column j; the residual and its test.
    void (*column)(state*, const small&, std::size_t systems, std::size_t j, partial_sums,
                   const limits&, stream_t);
    /// y of the triangle.
    void (*solve)(state*, const small&, std::size_t systems, stream_t);
    /// x += sum of y_i v_i, or x = that sum. Reads columns + 1, writes 1.
    void (*combine)(const pieces&, const small&, const basis<T>& v, T* x, bool fresh, stream_t);
    /// x += z where the cycle has columns. Reads 2, writes 1.
    void (*add)(const pieces&, const small&, T* x, const T* z, stream_t);
    /// The true residual at the end of a cycle, and its test.
    void (*closed)(state*, std::size_t systems, partial_sums, stream_t);
    static const gmres_kernels cpu, gpu;
};

}  // namespace watari::krylov
