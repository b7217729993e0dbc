/// How a solver ended.
#pragma once

namespace watari::krylov {

/// Why a solver ended. Only `converged` is success.
enum class ending : unsigned {
    running,
    converged,   ///< the residual |b - A x|, computed anew, is small enough
    limit,       ///< of iterations
    breakdown,   ///< rho or omega is 0, <p, A p> is not positive, a number is not finite, or the
                 ///< residual is 1e16 times what it was
    stagnation,  ///< no smaller residual in so many iterations
    inaccurate,  ///< the recursive residual is small enough, the true one is not
    stopped      ///< the caller's rule said so
};
const char* name_of(ending reason);

}  // namespace watari::krylov
