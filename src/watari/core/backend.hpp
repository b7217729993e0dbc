/// Two backends, one source: a kernel file is written once and compiled twice.
///
/// g++ compiles it into `watari::cpu` (OpenMP) and, where nvcc is found, nvcc into `watari::gpu`.
/// It opens `namespace watari::WATARI_BACKEND` and marks what runs inside a loop with
/// WATARI_KERNEL, or with WATARI_INLINE what must become part of the loop, for the vectors of a
/// CPU. Everything inline that it defines stays in that namespace: the linker would keep one of two
/// versions otherwise. WATARI_GLOBAL promises that a pointer which a kernel has loaded is to global
/// memory: a GPU then need not check for shared and local memory.
///
/// WATARI_VECTORS stands before a loop over independent elements of a row that a CPU alone runs;
/// loops.hpp has the loops, sums.hpp and reductions.hpp the reductions: the only <<<>>> and
/// `#pragma omp` of the library.
#pragma once

#include "watari/core/processor.hpp"

#include <cstddef>

// The header beside this one that a backend alone has: stem_cpu.hpp or stem_gpu.hpp.
#define WATARI_QUOTED(name) WATARI_TEXT(name)
#define WATARI_TEXT(name) #name

#ifdef __CUDACC__
#define WATARI_BACKEND gpu
#define WATARI_KERNEL __device__
#define WATARI_INLINE __device__ __forceinline__
#define WATARI_VECTORS
#define WATARI_PART(stem) WATARI_QUOTED(stem##_gpu.hpp)
#define WATARI_GLOBAL(pointer) __builtin_assume(__isGlobal(pointer))
#define WATARI_ATOMIC "watari/core/parallel/atomic_gpu.hpp"
#define WATARI_WARP "watari/core/parallel/warp_gpu.hpp"
#else
#define WATARI_BACKEND cpu
#define WATARI_KERNEL
#define WATARI_INLINE inline __attribute__((always_inline))
#define WATARI_VECTORS _Pragma("omp simd")
#define WATARI_PART(stem) WATARI_QUOTED(stem##_cpu.hpp)
#define WATARI_GLOBAL(pointer) void()
#define WATARI_ATOMIC "watari/core/parallel/atomic_cpu.hpp"
#define WATARI_WARP "watari/core/parallel/warp_cpu.hpp"
#endif

// What a loop of much arithmetic is compiled for: the processor's vectors, found at start. The
// plain x86-64 of a package has a quarter of them; aarch64 has all. ThreadSanitizer looks at what
// chooses the clone before it is ready itself; AddressSanitizer needs one version.
#if defined(__x86_64__) && !defined(__CUDACC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define WATARI_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WATARI_CLONES
#endif

// For a thread that looks again and again: leaves the core to its sibling for a moment.
#if defined(__x86_64__)
#define WATARI_REST() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define WATARI_REST() asm volatile("yield")
#else
#define WATARI_REST() void()
#endif

namespace watari::WATARI_BACKEND {

#ifdef __CUDACC__
inline constexpr processor::type executes = processor::type::gpu;
#else
inline constexpr processor::type executes = processor::type::cpu;
#endif

inline constexpr std::size_t row_lanes = 32;  ///< threads of a warp

}  // namespace watari::WATARI_BACKEND
