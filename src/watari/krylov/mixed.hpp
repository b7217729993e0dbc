/// CG and BiCGStab in half the bytes: vectors and products of the iteration in float, x and the
/// true residual in double, by reliable updates (Sleijpen and van der Vorst 1996; QUDA).
///
///     the loop of cg.hpp or bicgstab.hpp, in low precision, for r / scale and y
///     where |r| < delta times the largest |r| since the last update:
///         x += scale y; y = 0; r = b - A x in double; r~ stays, rho and beta follow r
///
/// In BiCGStab p already contains r: an update subtracts the old r, multiplies the rest by the new
/// rho over the old one, and adds the new r.
///
/// The last residual is computed in double, so the solve reaches the accuracy of double. A step
/// moves half the bytes of the double solver. An update has one product in double and moves 4 high
/// and 3 low vectors; in BiCGStab 10 low ones. BiCGStab tests only at whole steps. `look_every`
/// limits how late an update comes; 0 is taken as 1. T is double or complex<double>.
#pragma once

#include "watari/krylov/kernels/mixed_kernels.hpp"
#include "watari/krylov/problem.hpp"
#include "watari/krylov/workspace.hpp"

namespace watari::krylov {

/// The operator and preconditioner of the iteration.
template <class T>
struct low_precision {
    linear_operator<lower<T>> a = {};
    apply_function<lower<T>> m = {};
    double delta = 0.1;
};

/// Bytes of a workspace. The problem's own preconditioner is not used.
template <class T>
std::size_t cg_mixed_bytes(const problem<T>& given, const low_precision<T>& low);
template <class T>
std::size_t bicgstab_mixed_bytes(const problem<T>& given, const low_precision<T>& low);

/// Solves until a condition of `when` holds; `applications` of a report counts both precisions.
/// Waits. Throws usage_error (the workspace is too small, delta is not between 0 and 1).
template <class T>
reports cg_mixed(const problem<T>& given, const low_precision<T>& low, const workspace& memory,
                 const stopping& when = {});
template <class T>
reports bicgstab_mixed(const problem<T>& given, const low_precision<T>& low,
                       const workspace& memory, const stopping& when = {});

}  // namespace watari::krylov
