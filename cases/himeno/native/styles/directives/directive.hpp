/// Interface between the caller and a style written in directives: plain data, since these styles
/// are in shared objects (one for each language and compiler: GCC cannot link OpenACC and OpenMP in
/// one), which himeno/directive.cpp loads on demand. himeno_abi.f90 has the same in Fortran.
///
/// Before the call, the caller makes a CUDA context of the GPU current, which libgomp then shares.
#pragma once

#include "watari/case/directive_abi.hpp"

#include <cstddef>

namespace watari::himeno::directive {

using namespace watari::directive;

/// The 14 arrays in 7 pieces: a has 4 arrays in a row, b and c have 3.
struct arrays {
    float *p, *wrk2, *wrk1, *bnd, *a, *b, *c;
};

struct request {
    std::size_t i, j, k;  ///< points along each axis, boundary planes included
    int iterations;
    int fused;    ///< 0: a second kernel copies wrk2 to p; 1: the pointers are swapped
    int gpu;      ///< number of the GPU; `on_host`: the same code on the CPU
    int threads;  ///< of the CPU
    void* caller;
    void (*initialise)(void* caller, const arrays* f);  ///< fills all arrays, on the CPU
    void (*finish)(void* caller, const arrays* f);      ///< the CPU may read the final f->p
    /// Exchanges the halo with other ranks after each iteration; the style passes the pointer `p`
    /// that MPI gets. Null: there is one rank.
    void (*exchange)(void* caller, float* p);
    int split_i, split_j, split_k;  ///< ranks along each axis: with more than 1 its planes travel
    double* seconds;                ///< seconds of each iteration
    double* gosa;                   ///< gosa of each iteration
};

inline constexpr int outer = 0, inner = 1;  ///< depth of planes that arrive, that are sent
enum class way { pack, unpack };

/// Points of an array for the planes of axes j and k that ranks exchange.
inline std::size_t face_points(const request& r) {
    const std::size_t of_j = r.split_j > 1 ? 2 * r.i * r.k : 0;
    const std::size_t of_k = r.split_k > 1 ? 2 * r.i * r.j : 0;
    return in_lines<float>(of_j + of_k);
}

/// A style: `extern "C" void <name>(const request*, answer*)`, with _ for - in the name.
using function = void (*)(const request*, answer*);

}  // namespace watari::himeno::directive
