// Products of cuBLAS, with its own workspace: `gemm N PRODUCTS`. 2 N^3 flops each.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cublas_v2.h>
#include <cuda_runtime.h>

int main(int count, char** words) {
    const int n = count > 1 ? std::atoi(words[1]) : 8192,
              products = count > 2 ? std::atoi(words[2]) : 20;
    std::vector<double> host(size_t(n) * n, 1.0 / n);
    double *a, *b, *c;
    for (double** each : {&a, &b, &c})
        if (cudaMalloc(each, host.size() * sizeof(double)) != cudaSuccess) return 1;
    cudaMemcpy(a, host.data(), host.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(b, host.data(), host.size() * sizeof(double), cudaMemcpyHostToDevice);
    cublasHandle_t handle;
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 2;
    const double one = 1, zero = 0;
    for (int i = 0; i < products; ++i)
        if (cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n))
            return 3;
    cudaMemcpy(host.data(), c, host.size() * sizeof(double), cudaMemcpyDeviceToHost);
    std::printf("c[0] = %.6g\n", host[0]);
    return cublasDestroy(handle);
}
