/// How a solver ended.
#pragma once

namespace watari::krylov {

/// Why a solver ended. Only `converged` is success.
enum class ending : unsigned {
    running,
    converged,   ///< the residual |b - A x|, computed anew, is small enough
    limit,       ///< the limit of iterations was reached
    breakdown,   ///< rho or omega is 0, <p, A p> is not positive, a number is not finite, or the
                 ///< residual is 1e16 times the smallest one before
    stagnation,  ///< no smaller residual in stopping::stagnation iterations
    inaccurate,  ///< the recursive residual is small enough, the true one is not
    stopped      ///< the caller's rule ended the solve
};
const char* name_of(ending reason);

}  // namespace watari::krylov
