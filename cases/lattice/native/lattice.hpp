/// The CCS QCD solver (fiber-miniapp/ccs-qcd): clover-improved Wilson fermions on a periodic
/// lattice, even-odd preconditioned, by BiCGStab. Doi 2016 measured it with explicit and managed
/// memory.
///
///     D_ee x = b_e,   D_ee = 1 - kappa^2 (F_ee^-1 M_eo) (F_oo^-1 M_oe),   kappa 0.124, csw 1
///     (M psi)(n) = sum over mu of (1 - g_mu) U_mu(n) psi(n+mu) + (1 + g_mu) U_mu(n-mu)^+ psi(n-mu)
///
/// The gauge field and the source are drawn from a seed, so each lattice has known values of
/// log det F, of the iteration count and of |x|^2. An application of D_ee is two hops, each
/// followed by F^-1; kernels/hop_body.hpp has the bytes and flops of a hop. The benchmark counts
/// 8688 flops per even site and step of BiCGStab.
///
/// Read next: problem/ (memory layout of sites, links, source, F^-1), kernels/ (hop_body.hpp has
/// the arithmetic of a site, hop.cpp and hop_tuned.{cu,cpp} the loops), solver/ (loop.hpp: the
/// timed part), ranks/ (several ranks), styles/ (one program for each style of memory management).
#pragma once

#include "problem/geometry.hpp"
#include "watari/case/compiler.hpp"
#include "watari/comm/halo.hpp"
#include "watari/core/members.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"
#include "watari/memory/kind.hpp"

#include <cstddef>
#include <string>

namespace watari::lattice {

inline constexpr double kappa = 0.124, csw = 1.0, tolerance = 1e-13;

enum class kernel { shared, tuned };  ///< one source for both backends; one source per backend
enum class arithmetic {
    double_precision,
    single_precision,
    mixed  ///< iterations in float, true residuals in double
};
inline constexpr word<kernel> kernel_words[] = {{"shared", kernel::shared},
                                                {"tuned", kernel::tuned}};
inline constexpr word<arithmetic> arithmetics[] = {{"double", arithmetic::double_precision},
                                                   {"single", arithmetic::single_precision},
                                                   {"mixed", arithmetic::mixed}};

/// The data of one rank of several: its part of the lattice, and the other ranks.
struct share {
    extents whole{};
    point origin{};
    extents split{1, 1, 1, 1};
    const comm::communicator* ranks = nullptr;
    comm::halo* halo = nullptr;
    memory::kind field = memory::kind::pageable;  ///< memory of the style's arrays and of its halo
    processor carrier = the_cpu;  ///< copies half spinors that a style has packed itself
};

/// The parameters of one trial. With several ranks, each rank is a process that gets the same
/// parameters and uses the GPU whose number is its number among the ranks of its host.
struct parameters {
    std::string style;
    watari::processor processor;
    extents size{};  ///< of the lattice; once `part` is set, of the part
    lattice::arithmetic arithmetic = arithmetic::double_precision;
    unsigned links = 18;  ///< real numbers stored per link; with 12, kernels compute the third row
    std::size_t rhs = 1;  ///< right-hand sides, solved at once; all are the same source
    lattice::kernel kernel = kernel::tuned;
    std::size_t iterations = 5000;  ///< applications of D, at most
    int threads = 1;
    bool oversubscribe = false;
    extents split{1, 1, 1, 1};  ///< ranks along each direction
    comm::path path = comm::path::staged;
    bool overlap = false;         ///< half spinors travel while the hop is computed
    cases::compiler by = cases::compiler::gcc;  ///< of a style in directives
    const share* part = nullptr;  ///< part of this rank; null: one rank has the whole lattice

    static constexpr std::tuple members{
        member{"style", &parameters::style},
        member{"processor", &parameters::processor},
        member{"lattice", &parameters::size},
        member{"precision", &parameters::arithmetic, arithmetics},
        member{"links", &parameters::links},
        member{"rhs", &parameters::rhs},
        member{"kernel", &parameters::kernel, kernel_words},
        member{"iterations", &parameters::iterations},
        member{"threads", &parameters::threads},
        member{"oversubscribe", &parameters::oversubscribe},
        member{"split", &parameters::split},
        member{"halo", &parameters::path, comm::path_named},
        member{"overlap", &parameters::overlap},
        member{"compiler", &parameters::by, cases::compilers},
    };

    /// Sites of all ranks.
    std::size_t all_sites() const { return part ? part->whole.sites() : size.sites(); }

    std::size_t real_bytes() const {
        return arithmetic == arithmetic::single_precision ? sizeof(float) : sizeof(double);
    }
};

/// Runs one trial in one style. A sample is a step of BiCGStab. Throws unsupported, beyond_memory,
/// usage_error; error if the solver does not converge.
measure::trial run(const parameters& p);

}  // namespace watari::lattice
