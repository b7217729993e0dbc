/// What the caller and a style written in directives say to each other: plain data, since these
/// styles live in shared objects of their own (one for OpenACC, one for OpenMP target: GCC cannot
/// link both models in one), loaded when asked for by himeno/directive.cpp.
///
/// The caller has made a CUDA context of the GPU current before, which libgomp then shares.
#pragma once

#include <chrono>
#include <cstddef>

namespace watari::himeno::directive {

/// The 14 arrays in 7 pieces: a has 4 arrays in a row, b and c have 3.
struct arrays {
    float *p, *wrk2, *wrk1, *bnd, *a, *b, *c;
};

inline constexpr int on_host = -1;

struct request {
    std::size_t i, j, k;  ///< points along each axis, boundary planes included
    int iterations;
    int fused;  ///< 0: a second kernel copies wrk2 to p; 1: the pointers are swapped
    int gpu;    ///< number; `on_host`: the same code on the CPU, for tests
    void* caller;
    void (*initialise)(void* caller, const arrays* f);  ///< fills all arrays, on the CPU
    void (*finish)(void* caller, const arrays* f);      ///< the CPU may read the final f->p
    /// Exchanges the halo with other ranks after each iteration: `p` is what the style gives to
    /// MPI. Null: there is one rank.
    void (*exchange)(void* caller, float* p);
    int split_along_i_only;  ///< the planes to exchange are contiguous
    double* seconds;         ///< of each iteration
    double* gosa;            ///< of each iteration
};

struct answer {
    int no_device;   ///< libgomp finds no such GPU: nothing was run
    int ran_on_gpu;  ///< reported by a region itself
    double allocate, transfer_in, transfer_out, release;  ///< s
};

/// A style: `extern "C" void <name>(const request*, answer*)`, with _ for - in the name.
using function = void (*)(const request*, answer*);

/// Seconds since the last call.
class stopwatch {
public:
    double lap() {
        const auto before = last_;
        last_ = std::chrono::steady_clock::now();
        return std::chrono::duration<double>(last_ - before).count();
    }

private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace watari::himeno::directive
