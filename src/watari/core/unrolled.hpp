/// Loops of constant length over arrays that are to lie in registers.
#pragma once

// Stands before such a loop. GCC unrolls the loop by itself, but after it has placed the arrays in
// memory: a site of the lattice hop then takes 1.5 times as long. nvcc needs no pragma.
#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(__clang__)
#define WATARI_UNROLLED _Pragma("GCC unroll 16")
#else
#define WATARI_UNROLLED
#endif
