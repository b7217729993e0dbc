// Managed memory that the processors use in turn: the GPU adds one to every element, the CPU to
// every tenth. `alternating MIB ROUNDS`.
#include "../checked.cuh"

__global__ void add_one(float* values, size_t n) {
    for (size_t i = first(); i < n; i += step()) values[i] += 1;
}

int main(int count, char** words) {
    const size_t n = (count > 1 ? std::atoll(words[1]) : 1024) * (size_t{1} << 20) / sizeof(float);
    const int rounds = count > 2 ? std::atoi(words[2]) : 10;
    float* values;
    if (cudaMallocManaged(&values, n * sizeof(float)) != cudaSuccess) return 1;
    for (size_t i = 0; i < n; ++i) values[i] = 0;
    for (int round = 0; round < rounds; ++round) {
        add_one<<<1024, 256>>>(values, n);
        if (cudaDeviceSynchronize() != cudaSuccess) return 2;
        for (size_t i = 0; i < n; i += 10) values[i] += 1;
    }
    std::printf("%g %g\n", values[0], values[1]);
    return cudaFree(values) != cudaSuccess;
}
