/// The interface between the caller and a style written in directives: plain data, since these
/// styles are separate shared objects (case/directive_abi.hpp).
///
/// The styles match the original program: double precision, links of 18 numbers, one right-hand
/// side.
#pragma once

#include "../../problem/fields.hpp"
#include "watari/case/directive_abi.hpp"
#include "watari/krylov/problem.hpp"

#include <cstddef>

namespace watari::lattice::directive {

using namespace watari::directive;
using number = complex<double>;

inline constexpr unsigned link = 9;  ///< complex numbers stored per link

/// The arrays that the CPU fills before the solve. `clover` is F^-1.
struct inputs {
    number *links, *clover, *source;
};

struct request {
    geometry where;
    extents split;             ///< ranks along each direction
    double relative;           ///< |r| <= relative |b| ends the solve
    std::size_t applications;  ///< of D, at most
    int hops;                  ///< timed after the solve
    int gpu;  ///< number of the GPU; `on_host`: the same code on the CPU, for tests
    void* caller;
    void (*initialise)(void* caller, const inputs* of);         ///< fills the inputs, on the CPU
    void (*finish)(void* caller, const number* solution);       ///< called when the CPU may read it
    int (*step)(void* caller, double residual);                 ///< after each step; not 0: stop
    void (*total)(void* caller, double* sums, unsigned count);  ///< adds up over all ranks
    /// Exchanges half spinors with the neighbours, in the layout of halo_begin, by the CPU or,
    /// where the style has given it pointers of a GPU, between GPUs: in the order of a stream of
    /// CUDA. Without a stream `sent` must be complete before the call, and `arrived` is complete
    /// once `arrive` has returned. Null: there is one rank.
    void (*exchange)(void* caller, const number* sent, number* arrived, void* stream);
    void (*arrive)(void* caller);  ///< waits for exchanges without a stream

    std::size_t half() const { return where.size.half(); }
    std::size_t link_numbers() const { return 8 * half() * link; }
    std::size_t clover_numbers() const { return 2 * half() * packed; }
    std::size_t vector() const { return half() * spinor; }
    /// Numbers of `sent` and of `arrived`.
    std::size_t halo() const {
        return in_lines<number>(exchange ? halo_numbers(where.size, split) : 0);
    }
};

struct answer : watari::directive::answer {
    krylov::report solve;
    double hop_seconds;
};

/// A style: `extern "C" void <name>(const request*, answer*)`, with _ for - in the name.
using function = void (*)(const request*, answer*);

}  // namespace watari::lattice::directive
