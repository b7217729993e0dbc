/// A x = b, as the caller describes it to a solver, and what the solver reports.
///
///     problem<T>     the operator A, a preconditioner M, b, x, where they lie and who computes
///     inner_product  how partial sums become sums: of this process, or over ranks
///     stopping       when it is enough
///     report         how it ended, for each right-hand side
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
    /// May be empty. The same, and partial sums in partials[s][piece][these]: of <left_s, y_s> (one
    /// double, or two if complex) and |y_s|^2; if `other` is not null, then of <other_s, y_s> and
    /// <other_s, left_s>. An operator that has y at hand spares a pass over vectors.
    std::function<void(T* y, const T* x, const T* left, const T* other, double* partials,
                       std::size_t systems, stream_t stream)>
        apply_and_sum = {};
};

/// <u, v> = sum of conj(u_i) v_i. The solver takes the partial sum of each piece; `total` makes the
/// sums of them.
struct inner_product {
    std::size_t piece = 256;  ///< elements; with ranks whole rows, say
    /// May be empty: then the fixed tree of core/parallel/reductions.hpp, in this process. Else
    /// totals[s][k] = sum over all pieces of all ranks of partials[s][piece][k], in stream order,
    /// both in memory of the processor. Every rank must get the same bits.
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
    std::size_t applications =
        0;  ///< of A until the end; the check of the true residual is one more
    double recursive_residual = 0;
    double true_residual = 0;  ///< |b - A x|
    double norm_b = 0;

    bool converged() const { return reason == ending::converged; }
};

struct stopping {
    double relative = 1e-10;  ///< |r| <= max(relative |b|, absolute)
    double absolute = 0;
    std::size_t iterations = 1000;  ///< at most
    std::size_t stagnation = 500;   ///< without a smaller residual; 0: not tested
    double drift = 10;              ///< the true residual may be so many times the limit, not more
    /// The processor tests each residual and leaves a system alone that has ended. The host looks
    /// after so many iterations whether all have; 1: at half steps too.
    std::size_t look_every = 1;
    /// The caller's rule, called when the host looks: true ends the solve.
    std::function<bool(std::span<const report>)> stop = {};
};

/// One a system.
using reports = std::vector<report>;

}  // namespace watari::krylov
