// A program of the CUDA runtime, linked statically or as a library: its first call allocates.
#include <cstdio>

#include <cuda_runtime.h>

__global__ void add_one(float* values, std::size_t count) {
    const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i < count) values[i] += 1.0f;
}

int main() {
    constexpr std::size_t count = 1 << 20;
    float* values = nullptr;
    if (const cudaError_t error = cudaMalloc(&values, count * sizeof(float));
        error != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
        return 1;
    }
    cudaMemset(values, 0, count * sizeof(float));
    add_one<<<count / 256, 256>>>(values, count);
    float first = 0;
    cudaMemcpy(&first, values, sizeof first, cudaMemcpyDeviceToHost);
    std::printf("%g\n", first);
    return cudaFree(values) != cudaSuccess;
}
