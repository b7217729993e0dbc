/// Conjugate gradients (Hestenes and Stiefel 1952): A Hermitian and positive definite, M as well.
///
///     r = b - A x; z = M^-1 r; p = z; rho = <r,z>
///     q = A p;  alpha = rho / <p,q>                    dots 2 vectors, none if A sums
///     x += alpha p; r -= alpha q; |r|^2                6
///     z = M^-1 r; rho' = <r,z>; p = z + (rho'/rho) p   3; dots 2 more with M
///
/// An iteration moves 11 vectors, 9 if A sums (bytes.hpp). alpha and beta stay in the processor's
/// memory. If <p,q> is not positive, or alpha is not finite as a T, the system keeps its x. A may
/// have a null vector if b has no component along it.
#pragma once

#include "watari/krylov/problem.hpp"
#include "watari/krylov/workspace.hpp"

namespace watari::krylov {

/// Bytes of a workspace for problems of this shape: states, sums, and r, p, q, z.
template <class T>
std::size_t cg_bytes(const problem<T>& given);

/// Solves until a condition of `when` holds. Waits. Throws usage_error (the workspace is too
/// small).
template <class T>
reports cg(const problem<T>& given, const workspace& memory, const stopping& when = {});

/// Enqueues `iterations` iterations and returns: the host tests nothing and never waits. A system
/// ends earlier only if its residual is 0 or it breaks down.
template <class T>
void enqueue_cg(const problem<T>& given, const workspace& memory, std::size_t iterations);

/// Ends the solve of enqueue_cg: computes the true residual, and compares it with `when`. Waits.
template <class T>
reports cg_result(const problem<T>& given, const workspace& memory, const stopping& when = {});

}  // namespace watari::krylov
