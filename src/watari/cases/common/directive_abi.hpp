/// What every style written in directives says to its caller: plain data, since these styles live
/// in shared objects of their own. An application's request is its own
/// (styles/directive.hpp of a case).
///
/// The caller has made a CUDA context of the GPU current before, which libgomp then shares.
#pragma once

#include <chrono>

namespace watari::directive {

inline constexpr int on_host = -1;  ///< a GPU's number: the same code on the CPU, for tests

struct answer {
    int no_device;   ///< libgomp finds no such GPU: nothing was run
    int ran_on_gpu;  ///< reported by a region itself
    double allocate, transfer_in, transfer_out, release;  ///< s
};

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

}  // namespace watari::directive
