// The triad of STREAM: a[i] = b[i] + scalar c[i].
// watari: write a; scalar scalar = 3; flops 2; tolerance 1e-15
extern "C" __global__ void triad(size_t n, double scalar, const double* b, const double* c,
                                 double* a) {
    const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i < n) a[i] = b[i] + scalar * c[i];
}
