/// BiCGStab (van der Vorst 1992), M on the right: for any square A.
///
///     r = b - A x; r~ = p = r; rho = <r~,r>
///     q = A M^-1 p;  alpha = rho / <r~,q>                           dots 2 vectors, 1 if A sums
///     r -= alpha q; |r|^2, test                                     3
///     t = A M^-1 r;  omega = <t,r> / |t|^2                          dots 3, 1 if A sums
///     rho' = <r~,r> - omega <r~,t>;  beta = (rho'/rho) (alpha/omega)       with these dots
///     x += M^-1 (alpha p + omega r); r -= omega t; |r|^2, test
///     p = r + beta (p - omega q)                                    8 with the line above
///
/// A step moves bicgstab_step_traffic: 16 vectors, 13 if A sums (12 complex doubles per site: 2496
/// bytes). rho' is known before the new r, so one pass updates x, r and p. A sum <r~,r> of the new
/// r would need a pass before p: 18 and 15 vectors. Without rounding, <r~,r> of the half step is 0.
/// It is summed all the same: with 0 in its place, rounding of the first steps would stay in rho.
///
/// The residual is tested at both halves, as in the CCS QCD solver: `applications` of a report
/// counts 2 per step, and is odd if the last step was a half step.
#pragma once

#include "watari/krylov/problem.hpp"
#include "watari/krylov/workspace.hpp"

namespace watari::krylov {

/// Bytes of a workspace for problems of this shape: states, sums, and the vectors r, r~, p, q, t;
/// two more with M.
template <class T>
std::size_t bicgstab_bytes(const problem<T>& given);

/// Solves until a condition of `when` holds; an iteration is a step. Waits. Throws usage_error (the
/// workspace is too small).
template <class T>
reports bicgstab(const problem<T>& given, const workspace& memory, const stopping& when = {});

}  // namespace watari::krylov
