/// Contents of `fields::work`: the solver's vectors, and with mixed precision the operator in
/// float.
#pragma once

#include "../problem/fields.hpp"
#include "../ranks/rank_sums.hpp"
#include "matrix_operator.hpp"
#include "watari/krylov/bicgstab.hpp"
#include "watari/krylov/mixed.hpp"

#include <cstddef>

namespace watari::lattice {

template <class Real>
complex<Real>* numbers(std::byte* at) {
    return reinterpret_cast<complex<Real>*>(at);
}

/// D_ee x = b with the vectors of a trial; the caller sets the operator.
template <class Real>
krylov::problem<complex<Real>> problem_of(const fields& f, const parameters& p) {
    krylov::problem<complex<Real>> result;
    result.who = p.processor;
    result.length = p.size.half() * spinor;
    result.systems = p.rhs;
    result.sums = sums_over_ranks<Real>(p);
    result.b = numbers<Real>(f.source);
    result.x = numbers<Real>(f.solution);
    result.from_zero = true;
    return result;
}

/// The arrays of the operator and of the solver, allocated one after another in `work`.
struct work_areas {
    work_areas(const fields& f, const parameters& p, krylov::arena& from);

    double* sums;
    operands<double> wide{};
    operands<float> narrow{};
    std::byte* solver;  ///< workspace of the solver
    std::size_t solver_bytes;
};

std::size_t work_bytes(const parameters& p);

}  // namespace watari::lattice
