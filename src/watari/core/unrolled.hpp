/// Loops of constant length over arrays that are to lie in registers.
#pragma once

// Stands before such a loop. GCC unrolls the loop by itself, but after it has placed the arrays in
// memory: a site of the lattice hop then takes 1.5 times as long. nvcc needs no pragma. With
// AddressSanitizer unrolled loops take GCC a minute longer. A file may define another before it
// includes this one.
#if defined(WATARI_UNROLLED)
#elif defined(__GNUC__) && !defined(__CUDACC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define WATARI_UNROLLED _Pragma("GCC unroll 16")
#else
#define WATARI_UNROLLED
#endif
