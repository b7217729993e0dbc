// The sum of STREAM: c[i] = a[i] + b[i].
// watari: write c; flops 1
extern "C" __global__ void add(size_t n, const double* a, const double* b, double* c) {
    const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
