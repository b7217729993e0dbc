/// In place of CUDA's header: managed memory of a machine without a GPU, for host code.
#pragma once

#include <cstddef>
#include <cstdlib>

using cudaError_t = int;
inline constexpr cudaError_t cudaSuccess = 0;
inline const char* cudaGetErrorString(cudaError_t) { return "no memory"; }

template <class Value>
cudaError_t cudaMallocManaged(Value** to, std::size_t bytes) {
    *to = static_cast<Value*>(std::calloc(1, bytes));
    return *to == nullptr;
}
inline cudaError_t cudaFree(void* data) {
    std::free(data);
    return cudaSuccess;
}
