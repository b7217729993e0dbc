/// What the caller and a style written in directives say to each other: plain data, since these
/// styles live in shared objects of their own (cases/common/directive_abi.hpp).
///
/// They are the original's program: double precision, links of 18 numbers, one right-hand side.
#pragma once

#include "watari/cases/common/directive_abi.hpp"
#include "watari/cases/lattice/problem/fields.hpp"
#include "watari/krylov/problem.hpp"

#include <cstddef>

namespace watari::lattice::directive {

using namespace watari::directive;
using number = complex<double>;

inline constexpr unsigned link = 9;  ///< numbers that are stored of a link

/// Those that the CPU reads or writes. `clover` is F^-1.
struct inputs {
    number *links, *clover, *source;
};

struct request {
    geometry where;
    extents split;             ///< ranks along each direction
    double relative;           ///< |r| <= relative |b| ends the solve
    std::size_t applications;  ///< of D, at most
    int hops;                  ///< of which the time is measured, after the solve
    int gpu;                   ///< number; `on_host`: the same code on the CPU, for tests
    void* caller;
    void (*initialise)(void* caller, const inputs* of);         ///< fills them, on the CPU
    void (*finish)(void* caller, const number* solution);       ///< the CPU may read it
    int (*step)(void* caller, double residual);                 ///< after each; not 0: stop
    void (*total)(void* caller, double* sums, unsigned count);  ///< over all ranks
    /// Half spinors to the neighbours and from them, where halo_begin says, on the CPU. Null: there
    /// is one rank.
    void (*exchange)(void* caller, const number* sent, number* arrived);

    std::size_t half() const { return where.size.half(); }
    std::size_t link_numbers() const { return 8 * half() * link; }
    std::size_t clover_numbers() const { return 2 * half() * packed; }
    std::size_t vector() const { return half() * spinor; }
    /// Never 0: each array has an address.
    std::size_t halo() const { return exchange ? halo_numbers(where.size, split) : 1; }
};

struct answer : watari::directive::answer {
    krylov::report solve;
    double hop_seconds;
};

/// A style: `extern "C" void <name>(const request*, answer*)`, with _ for - in the name.
using function = void (*)(const request*, answer*);

}  // namespace watari::lattice::directive
