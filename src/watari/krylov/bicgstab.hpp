/// BiCGStab (van der Vorst 1992), M on the right: for any square A.
///
///     r = b - A x; r~ = p = r; rho = <r~,r>
///     q = A M^-1 p;  alpha = rho / <r~,q>                           dots 2 vectors, 1 if A sums
///     r -= alpha q; |r|^2, test                                     3
///     t = A M^-1 r;  omega = <t,r> / |t|^2                          dots 2, none if A sums
///     x += M^-1 (alpha p + omega r); r -= omega t; |r|^2, <r~,r>, test     7
///     beta = (rho'/rho) (alpha/omega); p = r + beta (p - omega q)   4
///
/// A step moves bicgstab_step_traffic: 18 vectors, 15 where A sums (12 complex doubles a site: 2880
/// bytes). x is updated once a step. The residual is tested at both halves, as in the CCS QCD
/// solver: a report's `applications` are 2 a step, and odd where a half step was the last.
#pragma once

#include "watari/krylov/problem.hpp"
#include "watari/krylov/workspace.hpp"

namespace watari::krylov {

/// Bytes of a workspace for problems of this shape: states, sums, and r, r~, p, q, t, two more with
/// M.
template <class T>
std::size_t bicgstab_bytes(const problem<T>& given);

/// Solves until `when`; its iterations are steps. Waits. Throws usage_error (the workspace is too
/// small).
template <class T>
reports bicgstab(const problem<T>& given, const workspace& memory, const stopping& when = {});

}  // namespace watari::krylov
