// y = alpha x + y: reads two arrays, writes one of them.
// watari: read x, y; write y
// watari: scalar alpha = 0.5; flops 2; tolerance 1e-6
extern "C" __global__ void saxpy(size_t n, float alpha, const float* x, float* y) {
    const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i < n) y[i] = alpha * x[i] + y[i];
}
