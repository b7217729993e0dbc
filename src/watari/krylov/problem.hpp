/// The problem A x = b that a caller gives to a solver, and the solver's report.
///
///     problem<T>     the operator A, a preconditioner M, b, x, their memory and the processor
///     inner_product  how partial sums are added: in this process, or over ranks
///     stopping       the conditions that end a solve
///     report         how the solve ended, for each right-hand side
///
/// T is float, double, complex<float> or complex<double>. Vectors lie in memory that the processor
/// addresses, those of several systems one after the other: system s begins at s * length.
#pragma once

#include "watari/core/complex.hpp"
#include "watari/core/device.hpp"
#include "watari/core/processor.hpp"
#include "watari/krylov/kernels/ending.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace watari::krylov {

/// y_s = A x_s for every system. On a GPU it enqueues on `stream` and need not wait.
template <class T>
using apply_function = std::function<void(T* y, const T* x, std::size_t systems, stream_t stream)>;

template <class T>
struct linear_operator {
    apply_function<T> apply = {};
    /// May be empty. Computes the same, and partial sums in partials[s][piece][value]:
    /// <left_s, y_s> (one double, or two if complex) and |y_s|^2; if `other` is not null, then
    /// <other_s, y_s> and <other_s, left_s>. An operator that has y at hand saves a pass over
    /// vectors.
    std::function<void(T* y, const T* x, const T* left, const T* other, double* partials,
                       std::size_t systems, stream_t stream)>
        apply_and_sum = {};
};

/// <u, v> = sum of conj(u_i) v_i. The solver computes the partial sum of each piece; `total` adds
/// the partial sums.
struct inner_product {
    std::size_t piece = 256;  ///< elements; with ranks e.g. whole rows
    /// If empty, the fixed tree of core/parallel/reductions.hpp adds the partial sums in this
    /// process. Otherwise totals[s][k] = sum over all pieces of all ranks of partials[s][piece][k],
    /// in stream order, both in memory of the processor. Every rank must get the same bits.
    std::function<void(double* totals, const double* partials, std::size_t pieces,
                       std::size_t systems, std::size_t width, stream_t stream)>
        total = {};
};

template <class T>
struct problem {
    processor who = the_cpu;
    stream_t stream = nullptr;
    std::size_t length = 0;   ///< elements of a vector, on this rank
    std::size_t systems = 1;  ///< right-hand sides
    linear_operator<T> a = {};
    apply_function<T> m = {};  ///< z = M^-1 r; may be empty
    inner_product sums = {};
    const T* b = nullptr;
    T* x = nullptr;          ///< the first guess, then the solution
    bool from_zero = false;  ///< x need not be set: the first guess is 0
};

struct report {
    ending reason = ending::running;
    std::size_t iterations = 0;
    std::size_t applications = 0;  ///< of A, without the final check of the true residual
    double recursive_residual = 0;
    double true_residual = 0;  ///< |b - A x|
    double norm_b = 0;

    bool converged() const { return reason == ending::converged; }
};

struct stopping {
    double relative = 1e-10;  ///< |r| <= max(relative |b|, absolute)
    double absolute = 0;
    std::size_t iterations = 1000;  ///< at most
    std::size_t stagnation = 500;   ///< iterations without a smaller residual; 0: not tested
    double drift = 10;              ///< largest accepted true residual, in multiples of the limit
    /// The processor tests each residual and skips systems that have ended. The host tests every
    /// `look_every` iterations whether all have ended; 1: at half steps too; 0: never.
    std::size_t look_every = 1;
    /// The caller's rule, called when the host looks: true ends the solve.
    std::function<bool(std::span<const report>)> stop = {};
};

/// One report per system.
using reports = std::vector<report>;

}  // namespace watari::krylov
