// See managed_malloc.hpp. A separate file, whose own allocations are not redirected.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

extern "C" void* managed_malloc(std::size_t bytes) {
    void* data = nullptr;
    const cudaError_t status = cudaMallocManaged(&data, bytes);
    if (status == cudaSuccess) return data;
    std::fprintf(stderr, "acc-managed-all: %s\n", cudaGetErrorString(status));
    std::abort();  // as libgomp does if it has no memory
}

extern "C" void managed_free(void* data) { cudaFree(data); }
