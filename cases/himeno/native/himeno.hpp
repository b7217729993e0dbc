/// The Himeno benchmark: Jacobi iterations on the pressure of a Poisson equation in a box (RIKEN).
///
/// 14 arrays of float; k is the fastest index. For every interior point
///
///     s0 = a0 p(i+1,j,k) + a1 p(i,j+1,k) + a2 p(i,j,k+1)
///        + b0 (p(i+1,j+1,k) - p(i+1,j-1,k) - p(i-1,j+1,k) + p(i-1,j-1,k))
///        + b1 (p(i,j+1,k+1) - p(i,j-1,k+1) - p(i,j+1,k-1) + p(i,j-1,k-1))
///        + b2 (p(i+1,j,k+1) - p(i-1,j,k+1) - p(i+1,j,k-1) + p(i-1,j,k-1))
///        + c0 p(i-1,j,k) + c1 p(i,j-1,k) + c2 p(i,j,k-1) + wrk1
///     ss = (s0 a3 - p) bnd;   gosa += ss ss;   wrk2 = p + omega ss
///
/// 34 flops by convention; 13 floats read and 1 written, 56 bytes; 64 if a second kernel copies
/// wrk2 to p. gosa is summed in double: a float sum saturates from size L on.
///
/// Read next: stencil.cpp (the kernels, once for both backends), stencil_tuned.cu and
/// stencil_tuned.cpp (the fast kernels), loop.hpp (the timed loop), styles/ (one program for each
/// style of memory management), ranks.cpp (the grid divided, with the halo of comm/halo.hpp),
/// overlap.hpp (the halo exchanged meanwhile).
#pragma once

#include "watari/case/compiler.hpp"
#include "watari/comm/halo.hpp"
#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/members.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace watari::himeno {

inline constexpr float omega = 0.8f;

/// Points along each axis, boundary planes included; k is the fastest. XS is 32x32x64.
struct grid {
    std::size_t i, j, k;

    constexpr std::size_t points() const { return i * j * k; }
    /// Points that an iteration updates. Every axis has 3 points or more.
    constexpr std::size_t interior() const { return (i - 2) * (j - 2) * (k - 2); }
};
/// The members in the order of a text such as 4x4x4. No static member: OpenMP maps no type with
/// one.
constexpr auto in_order(const grid*) { return std::array{&grid::i, &grid::j, &grid::k}; }

enum class form { two_kernel, fused };  ///< 64 and 56 bytes a point
enum class kernel { shared, tuned };    ///< one source for both backends; the backend's own
enum class data { standard, general };  ///< RIKEN's; one that exercises every term
inline constexpr word<form> forms[] = {{"two-kernel", form::two_kernel}, {"fused", form::fused}};
inline constexpr word<kernel> kernel_words[] = {{"shared", kernel::shared},
                                                {"tuned", kernel::tuned}};
inline constexpr word<data> data_words[] = {{"standard", data::standard},
                                            {"general", data::general}};

/// Parameters of one trial. With several ranks each rank is a process with the same parameters, and
/// uses the GPU whose number is the rank's number on its host.
struct parameters {
    std::string style;
    watari::processor processor;
    grid size{};
    grid split{1, 1, 1};  ///< ranks along each axis
    comm::path halo = comm::path::staged;
    bool overlap = false;  ///< exchange the halo while inner points are computed
    int iterations = 1;
    int rehearsal = 0;  ///< iterations before the clock, as in the original benchmark
    himeno::form form = form::fused;
    himeno::kernel kernel = kernel::shared;
    himeno::data data = data::standard;
    watari::processor::type init = processor::type::cpu;  ///< writer of the initial data
    int threads = 1;
    bool oversubscribe = false;
    cases::compiler by = cases::compiler::gcc;  ///< of a style in directives

    static constexpr std::tuple members{
        member{"style", &parameters::style},
        member{"processor", &parameters::processor},
        member{"grid", &parameters::size},
        member{"split", &parameters::split},
        member{"halo", &parameters::halo, comm::path_named},
        member{"overlap", &parameters::overlap},
        member{"iterations", &parameters::iterations},
        member{"rehearsal", &parameters::rehearsal},
        member{"form", &parameters::form, forms},
        member{"kernel", &parameters::kernel, kernel_words},
        member{"data", &parameters::data, data_words},
        member{"init", &parameters::init},
        member{"threads", &parameters::threads},
        member{"oversubscribe", &parameters::oversubscribe},
        member{"compiler", &parameters::by, cases::compilers},
    };
};

/// The part of one rank: `size` is that of its part, with the planes around it.
struct part : parameters {
    /// The whole grid, for one rank.
    part(const parameters& p) : parameters(p), whole(p.size) {}

    grid whole{};
    grid origin{};  ///< position of the part's first point in the whole grid
    const comm::communicator* ranks = nullptr;  ///< null: one rank
    comm::halo* exchanged = nullptr;            ///< null: one rank
};

/// The 14 arrays of one grid, or of one rank's part: size.points() floats each, k fastest.
struct fields {
    grid size{};
    float *p{}, *wrk2{}, *wrk1{}, *bnd{}, *a[4]{}, *b[3]{}, *c[3]{};
    /// Copies of this struct in the processor's memory, as it is and after a swap of p and wrk2:
    /// kernels of an iteration load the pointers from the first. Null: they are launch arguments.
    const fields* there[2]{};
};

/// The kernels of one backend. On a GPU they return before they are done. `gosa` is memory that the
/// processor addresses, gosa_scratch(size) doubles long. The sum of ss*ss over the interior is
/// stored in gosa[0], by a fixed tree: the same bits in every run, independent of the threads.
struct kernels {
    /// Fills the arrays of a part whose first point is point `origin` of a grid of `whole` points.
    /// The data are a function of the position in the whole grid; wrk2 begins as p.
    void (*initialise)(const fields& f, grid whole, grid origin, data which, stream_t stream);
    /// Computes wrk2 from p.
    void (*step)(const fields& f, kernel which, double* gosa, stream_t stream);
    /// p = wrk2 in the interior.
    void (*update)(const fields& f, stream_t stream);
    /// As `step`; the caller then swaps p and wrk2 (loop.hpp), whose boundary planes are equal.
    void (*fused)(const fields& f, kernel which, double* gosa, stream_t stream);
    /// Sum over the interior of a mix of p's bits and its position in the whole grid, modulo 2^53:
    /// equal for equal fields, independent of their division among ranks. Waits.
    std::uint64_t (*fingerprint)(const fields& f, grid whole, grid origin, stream_t stream);
    static const kernels cpu, gpu;
};

/// Doubles that `gosa` of a kernel points to.
std::size_t gosa_scratch(grid size);

/// Runs one trial in one style. Samples are this rank's; all other results are equal on all ranks.
/// Throws unsupported, beyond_memory, usage_error.
measure::trial run(const parameters& p);

}  // namespace watari::himeno
