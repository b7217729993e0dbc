/// The answer of a style written in directives to its caller: plain data, since these styles are in
/// separate shared objects. Each application defines its own request
/// (styles/directives/directive.hpp of a case).
///
/// Before the call the caller makes a CUDA context of the GPU current; libgomp then shares it.
#pragma once

#include <chrono>
#include <cstddef>

namespace watari::directive {

inline constexpr int on_host = -1;  ///< in place of a GPU's number: run on the CPU, for tests

struct answer {
    int no_device;   ///< libgomp detects no such GPU; nothing ran
    int ran_on_gpu;  ///< reported by a region itself
    // s, in the order of a run; 0: the style has no such part. Memory of the GPU that only the
    // directives use is apart: `transfer_in` allocates it, `release_device` frees it.
    double allocate, transfer_in, transfer_out, release_device, read, release;
};

/// `count` numbers, and as many more as fill lines of the GPU's memory; never 0, so that an array
/// has an address. GCC's library puts the arrays of a data region one behind the other: after an
/// array of one number none begins at a line, nor where a load of 16 bytes may begin.
template <typename T>
constexpr std::size_t in_lines(std::size_t count) {
    constexpr std::size_t line = 256 / sizeof(T);
    return (count / line + 1) * line;
}

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
