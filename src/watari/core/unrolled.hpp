/// Loops of constant length over arrays that are to lie in registers.
#pragma once

// Before such a loop. GCC unrolls it by itself, but after it has placed the arrays in memory: then
// a site of lattice's hop takes 1.5 times as long. nvcc needs no pragma. With AddressSanitizer GCC
// takes a minute longer to compile unrolled loops. A file that includes this one may define
// another.
#if defined(WATARI_UNROLLED)
#elif defined(__GNUC__) && !defined(__CUDACC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define WATARI_UNROLLED _Pragma("GCC unroll 16")
#else
#define WATARI_UNROLLED
#endif
