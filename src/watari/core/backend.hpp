/// Two backends, one source: a kernel file is written once and compiled twice.
///
/// g++ compiles the file into `watari::cpu` (OpenMP); nvcc, if present, compiles it into
/// `watari::gpu`. The file opens `namespace watari::WATARI_BACKEND`. WATARI_KERNEL marks a function
/// that runs inside a loop. WATARI_INLINE marks one that must become part of the loop, for the
/// vectors of a CPU. Every inline definition stays in that namespace: otherwise the linker would
/// keep one of two versions. WATARI_GLOBAL promises that a pointer loaded by a kernel points to
/// global memory, so a GPU need not check for shared and local memory.
///
/// WATARI_VECTORS stands before a loop over independent elements of a row that only a CPU runs.
/// Kernel files take their loops from loops.hpp and their reductions from sums.hpp and
/// reductions.hpp; they contain no <<<>>> and no `#pragma omp`.
#pragma once

#include "watari/core/processor.hpp"

#include <cstddef>

// The backend's own header beside this one: stem_cpu.hpp or stem_gpu.hpp.
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

// Compiles a function of much arithmetic for several kinds of processors; the program selects one
// at start. Plain x86-64, for which packages are built, has vectors of a quarter of the width;
// aarch64 has the full width, and so has a build for such processors alone (-march=native, as
// package managers build): there GCC 12 ends with an internal error at the narrower kinds.
// ThreadSanitizer instruments the selection, which runs before it is ready; AddressSanitizer needs
// one version.
#if defined(__x86_64__) && !defined(__AVX512F__) && !defined(__CUDACC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define WATARI_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WATARI_CLONES
#endif

// For a polling thread: leaves the core to its sibling thread for a moment.
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
