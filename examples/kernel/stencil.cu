// b[i] = a[i - 1] - 2 a[i] + a[i + 1] by a grid of fixed size; ends are copied. A neighbour comes
// from a cache, so 8 bytes are read per element.
// watari: write b; flops 3; tolerance 1e-15; block 256; grid 4096
extern "C" __global__ void stencil(size_t n, const double* a, double* b) {
    const size_t all = gridDim.x * size_t(blockDim.x);
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += all)
        b[i] = i == 0 || i + 1 == n ? a[i] : a[i - 1] - 2 * a[i] + a[i + 1];
}
