/// Stores of a CPU that bypass its caches.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
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

/// Floats of 64 bytes, a cache line. If the processor has streaming stores, a line that is only
/// written bypasses the caches, which would read it from memory first.
inline constexpr std::size_t line = 16;

/// Alignment in bytes that the address of such an array needs.
inline constexpr std::size_t stream_alignment = 4 * sizeof(float);

inline bool can_stream(const void* to) {
    return reinterpret_cast<std::uintptr_t>(to) % stream_alignment == 0;
}

/// Writes Bytes, a multiple of 16, to an address that is a multiple of 16.
template <std::size_t Bytes>
[[gnu::always_inline]] inline void stream(void* to, const void* from) {
    static_assert(Bytes % stream_alignment == 0);
    float* const target = static_cast<float*>(to);
    const float* const source = static_cast<const float*>(from);
    for (std::size_t i = 0; i < Bytes / sizeof(float); i += 4)
        WATARI_STREAM(target + i, source + i);
}

/// Writes a line to an address that is a multiple of 16.
[[gnu::always_inline]] inline void stream_line(float* to, const float (&from)[line]) {
    stream<sizeof from>(to, from);
}

/// Orders this thread's streaming stores before its later stores: a thread that waits for these
/// sees the data.
inline void end_streams() { WATARI_STREAM_END(); }

/// Bytes of the last-level cache; 32 MiB if the system does not report it. Tests set it.
inline std::size_t last_cache = [] {
    long size = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    size = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return size > 0 ? static_cast<std::size_t>(size) : std::size_t{32} << 20;
}();

/// Whether a pass over so many bytes evicts its results from the caches before they are read: its
/// stores may then bypass the caches.
inline bool beyond_caches(std::size_t bytes) { return bytes > last_cache; }

}  // namespace watari::cpu
