/// The CCS QCD solver (fiber-miniapp/ccs-qcd): clover-improved Wilson fermions on a periodic
/// lattice, even-odd preconditioned, by BiCGStab. Doi 2016 measured it with explicit and managed
/// memory.
///
///     D_ee x = b_e,   D_ee = 1 - kappa^2 (F_ee^-1 M_eo) (F_oo^-1 M_oe),   kappa 0.124, csw 1
///     (M psi)(n) = sum over mu of (1 - g_mu) U_mu(n) psi(n+mu) + (1 + g_mu) U_mu(n-mu)^+ psi(n-mu)
///
/// Gauge field and source are drawn from a seed: every lattice has known values of log det F, of
/// the iterations and of |x|^2. A matrix is two hops, each followed by F^-1; bytes and flops of one
/// are in hop.hpp. The benchmark counts 8688 flops an even site and step of BiCGStab.
///
/// Read next: geometry.hpp (where a site lies), hop_body.hpp (the arithmetic of a site), hop.cpp
/// and hop_tuned.{cu,cpp} (the loops), setup.cpp (links, source, F^-1), loop.hpp (what is timed),
/// styles/ (one program for each style of memory management).
#pragma once

#include "watari/cases/lattice/geometry.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"

#include <cstddef>
#include <string>

namespace watari::lattice {

inline constexpr double kappa = 0.124, csw = 1.0, tolerance = 1e-13;

enum class kernel { shared, tuned };  ///< one source for both backends; the backend's own
enum class arithmetic {
    double_precision,
    single_precision,
    mixed  ///< iterations in float, residuals that count in double
};

/// One trial.
struct parameters {
    std::string style;
    watari::processor processor;
    extents size{};
    lattice::arithmetic arithmetic = arithmetic::double_precision;
    unsigned links = 18;  ///< real numbers that are stored of each; of 12 the third row is made
    std::size_t rhs = 1;  ///< right-hand sides, solved at once; all are the same source
    lattice::kernel kernel = kernel::tuned;
    std::size_t iterations = 5000;  ///< applications of D at most
    int threads = 1;
    bool oversubscribe = false;

    std::size_t real_bytes() const {
        return arithmetic == arithmetic::single_precision ? sizeof(float) : sizeof(double);
    }
};

/// One trial in one style. A sample is a step of BiCGStab. Throws unsupported, beyond_memory,
/// usage_error, error where the solver does not converge.
measure::trial run(const parameters& p);

}  // namespace watari::lattice
