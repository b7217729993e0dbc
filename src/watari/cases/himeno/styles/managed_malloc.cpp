// See managed_malloc.hpp. A file of its own, whose own allocations stay what they are.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

extern "C" void* managed_malloc(std::size_t bytes) {
    void* data = nullptr;
    const cudaError_t status = cudaMallocManaged(&data, bytes);
    if (status == cudaSuccess) return data;
    std::fprintf(stderr, "acc-managed-all: %s\n", cudaGetErrorString(status));
    std::abort();  // as libgomp does where it finds no memory
}

extern "C" void managed_free(void* data) { cudaFree(data); }
