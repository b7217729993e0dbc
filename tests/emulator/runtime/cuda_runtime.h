// Replaces CUDA's header, for acc-managed as host code: managed memory comes from the heap, and is
// counted.
#pragma once

#include <cstddef>
#include <cstdlib>

using cudaError_t = int;
inline constexpr cudaError_t cudaSuccess = 0;
extern "C" int managed_arrays;
int managed_arrays = 0;

template <class T>
cudaError_t cudaMallocManaged(T** data, std::size_t bytes) {
    ++managed_arrays;
    *data = static_cast<T*>(std::calloc(1, bytes));
    return cudaSuccess;
}
inline cudaError_t cudaFree(void* data) {
    --managed_arrays;
    std::free(data);
    return cudaSuccess;
}
inline const char* cudaGetErrorString(cudaError_t) { return "none"; }
