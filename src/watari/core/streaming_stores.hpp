/// Stores of a CPU that pass by its caches.
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__x86_64__) && !defined(__clang__)
#include <xmmintrin.h>
#define WATARI_STREAM(to, from) _mm_stream_ps(to, _mm_loadu_ps(from))
#define WATARI_STREAM_END() _mm_sfence()
#else
#define WATARI_STREAM(to, from) std::memcpy(to, from, 4 * sizeof(float))
#define WATARI_STREAM_END() void()
#endif

namespace watari::cpu {

/// 64 bytes of an array that is only written: where the processor has such stores they pass by the
/// caches, which would read them from memory first.
inline constexpr std::size_t line = 16;

/// Writes a line to an address that is a multiple of 16.
[[gnu::always_inline]] inline void stream_line(float* to, const float (&from)[line]) {
    for (std::size_t l = 0; l < line; l += 4) WATARI_STREAM(to + l, from + l);
}

/// What this thread wrote by stream_line is seen by whoever waits for it.
inline void end_streams() { WATARI_STREAM_END(); }

}  // namespace watari::cpu
