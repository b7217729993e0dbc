/// Conjugate gradients: all of an iteration but its V-cycle.
///
/// Bytes in fp32: residual 21; direction 12, of which the first iteration has none, d.Ad 5, update
/// 21, of which the last needs 12.
#pragma once

#include "watari/cases/les/flow/flow.hpp"
#include "watari/cases/les/pressure/level.hpp"

namespace watari::les {

/// Numbers of the iteration, in the backend's memory.
struct iteration_sums {
    double rz[2];  ///< of this iteration and the last, in turn
    double d_ad;
};

template <class Real>
struct iteration_kernels {
    /// r = -div u / tau - A p, of the flow's next velocities.
    void (*residual)(const level<Real>& l, const flow_arguments<Real>& f, Real tau,
                     stream_t stream);
    /// d = e + beta d, from the second iteration on; beta = 0 where rz was 0.
    void (*direction)(const level<Real>& l, Real* d, const iteration_sums* sums, unsigned iteration,
                      stream_t stream);
    /// Partial sums of d Ad.
    void (*curvature)(const level<Real>& l, const Real* d, double* partials, stream_t stream);
    /// p += alpha d; r -= alpha A d; alpha = 0 where d Ad is not positive: air at rest.
    void (*update)(const level<Real>& l, const Real* d, Real* p, const iteration_sums* sums,
                   unsigned iteration, stream_t stream);
    /// p += alpha d alone: nobody reads r after the last iteration.
    void (*finish)(const level<Real>& l, const Real* d, Real* p, const iteration_sums* sums,
                   unsigned iteration, stream_t stream);
    /// columns[j * pieces + p] = sum over z of partial sums.
    void (*add_columns)(const les::grid& g, const double* partials, double* columns,
                        stream_t stream);
    /// total[0] = the sum of values, by the fixed tree; with sum_scratch(count) doubles.
    void (*add_up)(const double* values, std::size_t count, double* total, double* scratch,
                   stream_t stream);
    static const iteration_kernels cpu, gpu;
};

}  // namespace watari::les
