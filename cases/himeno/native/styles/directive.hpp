/// Interface between the caller and a style written in directives: plain data, since these styles
/// are in shared objects (one for OpenACC, one for OpenMP target: GCC cannot link both models in
/// one), which himeno/directive.cpp loads on demand.
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
    int fused;  ///< 0: a second kernel copies wrk2 to p; 1: the pointers are swapped
    int gpu;    ///< number of the GPU; `on_host`: the same code on the CPU, for tests
    void* caller;
    void (*initialise)(void* caller, const arrays* f);  ///< fills all arrays, on the CPU
    void (*finish)(void* caller, const arrays* f);      ///< the CPU may read the final f->p
    /// Exchanges the halo with other ranks after each iteration; the style passes the pointer `p`
    /// that MPI gets. Null: there is one rank.
    void (*exchange)(void* caller, float* p);
    int split_along_i_only;  ///< the planes to exchange are contiguous
    double* seconds;         ///< seconds of each iteration
    double* gosa;            ///< gosa of each iteration
};

/// A style: `extern "C" void <name>(const request*, answer*)`, with _ for - in the name.
using function = void (*)(const request*, answer*);

}  // namespace watari::himeno::directive
