// BabelStream in ten lines: triad over three arrays, as often as asked. `stream MIB PASSES`.
// Bytes of a pass: 24 an element.
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

__global__ void triad(double* a, const double* b, const double* c, double factor, size_t n) {
    for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < n;
         i += size_t{gridDim.x} * blockDim.x)
        a[i] = b[i] + factor * c[i];
}

int main(int count, char** words) {
    const size_t n = (count > 1 ? std::atoll(words[1]) : 256) * (size_t{1} << 20) / sizeof(double);
    const int passes = count > 2 ? std::atoi(words[2]) : 100;
    double* arrays[3];
    for (double*& array : arrays) {
        if (cudaMalloc(&array, n * sizeof(double)) != cudaSuccess) return 1;
        cudaMemset(array, 0, n * sizeof(double));
    }
    for (int i = 0; i < passes; ++i) triad<<<1024, 256>>>(arrays[0], arrays[1], arrays[2], 0.4, n);
    const cudaError_t error = cudaDeviceSynchronize();
    double first = -1;
    cudaMemcpy(&first, arrays[0], sizeof first, cudaMemcpyDeviceToHost);
    std::printf("%s, first element %g\n", cudaGetErrorString(error), first);
    for (double* array : arrays) cudaFree(array);
    return error != cudaSuccess;
}
