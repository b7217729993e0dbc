// The loops of BabelStream (copy, mul, add, triad, dot) over three arrays, PASSES times:
// `stream MIB PASSES`. Elements start as 0.1, 0.2 and 0, as there, and the last dot is printed.
// Bytes of a pass: 16 + 16 + 24 + 24 + 16 an element.
#include <vector>

#include "../checked.cuh"

constexpr int blocks = 1024, threads = 256;  // dot has a sum for each block

__global__ void init(double* a, double* b, double* c, size_t n) {
    for (size_t i = first(); i < n; i += step()) a[i] = 0.1, b[i] = 0.2, c[i] = 0;
}
__global__ void copy(const double* a, double* c, size_t n) {
    for (size_t i = first(); i < n; i += step()) c[i] = a[i];
}
__global__ void mul(double* b, const double* c, double scalar, size_t n) {
    for (size_t i = first(); i < n; i += step()) b[i] = scalar * c[i];
}
__global__ void add(const double* a, const double* b, double* c, size_t n) {
    for (size_t i = first(); i < n; i += step()) c[i] = a[i] + b[i];
}
__global__ void triad(double* a, const double* b, const double* c, double scalar, size_t n) {
    for (size_t i = first(); i < n; i += step()) a[i] = b[i] + scalar * c[i];
}
__global__ void dot(const double* a, const double* b, double* sums, size_t n) {
    __shared__ double own[threads];
    double sum = 0;
    for (size_t i = first(); i < n; i += step()) sum += a[i] * b[i];
    own[threadIdx.x] = sum;
    for (int half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) own[threadIdx.x] += own[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = own[0];
}

int main(int count, char** words) {
    const size_t n = (count > 1 ? std::atoll(words[1]) : 256) * (size_t{1} << 20) / sizeof(double);
    const int passes = count > 2 ? std::atoi(words[2]) : 100;
    double *a, *b, *c, *sums;
    for (double** each : {&a, &b, &c}) REQUIRE(cudaMalloc(each, n * sizeof(double)));
    REQUIRE(cudaMalloc(&sums, blocks * sizeof(double)));
    init<<<blocks, threads>>>(a, b, c, n);
    std::vector<double> host(blocks);
    double sum = 0;
    for (int i = 0; i < passes; ++i) {
        copy<<<blocks, threads>>>(a, c, n);
        mul<<<blocks, threads>>>(b, c, 0.4, n);
        add<<<blocks, threads>>>(a, b, c, n);
        triad<<<blocks, threads>>>(a, b, c, 0.4, n);
        dot<<<blocks, threads>>>(a, b, sums, n);
        cudaMemcpy(host.data(), sums, blocks * sizeof(double), cudaMemcpyDeviceToHost);
        sum = 0;
        for (const double part : host) sum += part;
    }
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, dot %.12g\n", cudaGetErrorString(error), sum);
    for (double* each : {a, b, c, sums}) cudaFree(each);
    return error != cudaSuccess;
}
