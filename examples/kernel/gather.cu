// b[i] = a[index[i]]: reads elements at random. An element of 4 bytes moves a sector of 32, so the
// reads of `a` are declared as that; leave the line out to count the 4 bytes that are used.
// watari: write b; bytes a = 8*4; fill index = random
// watari: block 512; grid ceil(n/block)
extern "C" __global__ void gather(size_t n, const unsigned* index, const float* a, float* b) {
    const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i < n) b[i] = a[index[i]];
}
