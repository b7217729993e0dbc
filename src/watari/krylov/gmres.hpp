/// GMRES(m) (Saad and Schultz 1986), M on the right, and flexible GMRES (Saad 1993), in which M may
/// change, e.g. an inner solve.
///
///     r = b - A x; v_0 = r / |r|
///     w = A M^-1 v_j                                 flexible: z_j = M^-1 v_j is kept
///     h = V* w; w -= V h, twice; v_j+1 = w / |w|      4 j + 12 vectors
///     H y = |r| e_0 in the least squares              rotations, beside the vectors
///     x += M^-1 V y; flexible: x += Z y               after m iterations, or when |r| is small
///
/// Classical Gram-Schmidt, applied twice, is as orthogonal as Householder's method (Giraud et al.
/// 2005), and takes four reductions per iteration for any j. An iteration has one product with A; a
/// cycle has one more, which gives the true residual. A cycle without progress ends as stagnation.
#pragma once

#include "watari/krylov/problem.hpp"
#include "watari/krylov/workspace.hpp"

namespace watari::krylov {

struct gmres_options {
    std::size_t restart = 30;  ///< m
    bool flexible = false;
};

/// Bytes of a workspace for problems of this shape: m + 1 vectors, 2 more with M, or m more if M is
/// flexible; partial sums of m values a piece; H.
template <class T>
std::size_t gmres_bytes(const problem<T>& given, const gmres_options& options = {});

/// Solves until a condition of `when` holds. Waits. Throws usage_error (the workspace is too small,
/// m is 0).
template <class T>
reports gmres(const problem<T>& given, const workspace& memory, const stopping& when = {},
              const gmres_options& options = {});

}  // namespace watari::krylov
