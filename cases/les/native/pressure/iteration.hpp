/// Conjugate gradients: all of an iteration but its V-cycle.
///
/// The first direction is e. The last one, e + beta d, is never stored: a kernel that reads it
/// computes it from e and d, and p takes the last two steps at once.
///
/// Bytes per cell in fp32: residual 21; d.Ad 5; update of p and r 21, of r alone 13; direction 12,
/// but none in the first and in the last iteration; the last d.Ad 9; the last two steps of p 16,
/// with the correction of u v w 41. The correction alone takes 29.
#pragma once

#include "../flow/flow.hpp"
#include "level.hpp"

namespace watari::les {

/// Numbers of the iteration, in the backend's memory.
struct iteration_sums {
    double rz[2], d_ad[2];  ///< of this iteration and the one before, in turn
    unsigned came;          ///< blocks of add_all() that have reached its end
};

template <class Real>
struct iteration_kernels {
    /// r = -div u / tau - A p, of the flow's next velocities.
    void (*residual)(const level<Real>& l, const flow_arguments<Real>& f, Real tau,
                     stream_t stream);
    /// d = e + beta d, in all iterations but the first and the last; beta = 0 if rz was 0.
    void (*direction)(const level<Real>& l, Real* d, const iteration_sums* sums, unsigned iteration,
                      stream_t stream);
    /// Partial sums of d Ad.
    void (*curvature)(const level<Real>& l, const Real* d, double* partials, stream_t stream);
    /// Partial sums of d Ad for the last direction; the array d still holds the direction before.
    void (*last_curvature)(const level<Real>& l, const Real* d, const iteration_sums* sums,
                           unsigned iteration, double* partials, stream_t stream);
    /// p += alpha d, unless p is null; r -= alpha A d; alpha = 0 if d Ad is not positive: air at
    /// rest.
    void (*update)(const level<Real>& l, const Real* d, Real* p, const iteration_sums* sums,
                   unsigned iteration, stream_t stream);
    /// Adds the last two steps to p, or the only one: no kernel reads r after the last iteration.
    void (*finish)(const level<Real>& l, const Real* d, Real* p, const iteration_sums* sums,
                   unsigned iteration, stream_t stream);
    /// Does finish() of f.p, but to another array, and the flow's correction by it, in one pass.
    /// Returns false if both must run separately. Not for one iteration.
    bool (*finish_flow)(const level<Real>& l, const Real* d, const flow_arguments<Real>& f,
                        Real tau, Real* p, const iteration_sums* sums, unsigned iteration,
                        stream_t stream);
    /// columns[j * row + p] = sum over z of partial sums.
    void (*add_columns)(const les::grid& g, const double* partials, double* columns,
                        std::size_t row, stream_t stream);
    /// total[0] = the sum of values, by the fixed tree; scratch: sum_scratch(count) doubles.
    void (*add_up)(const double* values, std::size_t count, double* total, double* scratch,
                   stream_t stream);
    /// add_columns() and add_up(), if one rank has all columns.
    void (*add_all)(const les::grid& g, const double* partials, double* columns, double* total,
                    double* scratch, iteration_sums* sums, stream_t stream);
    static const iteration_kernels cpu, gpu;
};

}  // namespace watari::les
