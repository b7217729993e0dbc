// What the programs for a GPU share: a call that fails ends the program, and loops over a whole
// grid.
#pragma once

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

inline void require(cudaError_t error, const char* call) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    std::exit(1);
}
#define REQUIRE(call) require(call, #call)

template <class Value = char>
Value* allocated(size_t bytes) {
    Value* pointer;
    REQUIRE(cudaMalloc(&pointer, bytes));
    return pointer;
}

__device__ inline size_t first() { return blockIdx.x * size_t{blockDim.x} + threadIdx.x; }
__device__ inline size_t step() { return gridDim.x * size_t{blockDim.x}; }
