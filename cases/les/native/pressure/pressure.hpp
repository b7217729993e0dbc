/// The projection: u = u* - tau grad p with Lap p = div u* / tau, in place and from the old p.
///
///     r = -div u* / tau - A p
///     z = V r;  beta = r.z / (r.z before);  d = z + beta d                 58 + 12 bytes a cell
///     alpha = r.z / d.Ad;  p += alpha d;  r -= alpha A d                         5 + 21
///     the last two: r -= alpha A d; then p with both, from d and z          5 + 13; 9 + 16
///
/// The number of iterations is fixed and small. In fp32 the residual cannot fall below 1e-7 of the
/// first residual; with further iterations the true residual grows again. No host reads alpha and
/// beta: they stay in the backend's memory, and nothing waits.
#pragma once

#include "../grid/fields.hpp"
#include "coarsening.hpp"
#include "iteration.hpp"
#include "vcycle.hpp"

#include <vector>

namespace watari::les {

template <class Real>
class pressure {
public:
    pressure(const fields& f, const parameters& p);

    /// Faces and diagonals of the coarser levels, once.
    void build(stream_t stream);
    /// Computes f.p and its halo; the flow's correction by f.p makes f.next free of divergence.
    void solve(const flow_arguments<Real>& f, Real tau, int cycles, stream_t stream);
    /// Computes f.p, and corrects the flow by it. f.p may become another array.
    void project(flow_arguments<Real>& f, Real tau, int cycles, stream_t stream);
    /// Computes e = V r on the finest level.
    void cycle(stream_t stream);

    const std::vector<level<Real>>& levels() const { return levels_; }

private:
    void go_down(std::size_t n, stream_t stream);
    void solve_coarsest(stream_t stream);
    void fill(std::size_t level, Real* array, stream_t stream, std::size_t rows = 1);
    void fill_all(std::size_t level, Real* array, stream_t stream);
    void fill_unless_known(std::size_t level, Real* array, stream_t stream);
    void fill_coarse(std::size_t coarse, Real* array, stream_t stream);
    void total(double* to, stream_t stream, bool asked = true);
    void iterate(const flow_arguments<Real>& f, Real tau, unsigned cycles, stream_t stream);
    void finish(const flow_arguments<Real>& f, unsigned cycles, stream_t stream);

    const iteration_kernels<Real>* run_;
    const vcycle_kernels<Real>* cycle_;
    const flow_kernels<Real>* flow_;
    const coarsening_kernels<Real>* coarsening_;
    neighbours* others_;
    std::vector<level<Real>> levels_;
    std::size_t small_;  ///< the first of the levels that one launch computes
    Real* d_;
    iteration_sums* numbers_;
    double *partials_, *columns_, *scratch_;
    std::size_t all_columns_, row_of_columns_, own_columns_;
    std::vector<double*> waiting_;  ///< sums whose columns are not exchanged yet: two at most
};

}  // namespace watari::les
