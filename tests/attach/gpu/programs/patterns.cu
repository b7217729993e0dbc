// Kernels whose touches are known, each on arrays of its own size, so that a trace distinguishes
// them: `patterns LAUNCHES MIB`. Some arrays are GPU memory and some managed. The program prints,
// as JSON, the least bytes of each array that a launch touches, in the granularity of 64 KiB that
// managed memory has, and whether it reads and writes them; patterns.py compares a trace with them.
//
//     copy      reads all of one array, writes all of another; a third one is an unused argument
//     half      reads the first half of an array
//     middle    adds one to the part from a quarter on, an eighth long
//     stride    reads one value every 64 KiB of all
//     sparse    writes one value every 2 MiB of all: 64 KiB each

#include "../checked.cuh"

constexpr size_t KiB = 1024, MiB = 1024 * KiB;
constexpr size_t page = 64 * KiB, far = 2 * MiB;

__global__ void copy(const float* from, float* to, const float*, size_t n) {
    for (size_t i = first(); i < n; i += step()) to[i] = from[i] + 1;
}
__global__ void half(const float* values, float* sum, size_t n) {
    float own = 0;
    for (size_t i = first(); i < n / 2; i += step()) own += values[i];
    if (own < 0) *sum = own;  // never true, but keeps the compiler from removing the loop
}
__global__ void middle(float* values, size_t n) {
    for (size_t i = first(); i < n / 8; i += step()) values[n / 4 + i] += 1;
}
__global__ void stride(const float* values, float* sum, size_t n) {
    float own = 0;
    for (size_t i = first() * (page / 4); i < n; i += step() * (page / 4)) own += values[i];
    if (own < 0) *sum = own;
}
__global__ void sparse(float* values, size_t n) {
    for (size_t i = first() * (far / 4); i < n; i += step() * (far / 4)) values[i] = 2;
}

namespace {

// An array of `mib` MiB of zeros, written by the CPU if it is managed, else by the GPU.
float* array(size_t mib, bool is_managed) {
    float* made = nullptr;
    REQUIRE(is_managed ? cudaMallocManaged(&made, mib * MiB) : cudaMalloc(&made, mib * MiB));
    if (is_managed)
        for (size_t i = 0; i < mib * MiB / 4; ++i) made[i] = 0;
    else
        REQUIRE(cudaMemset(made, 0, mib * MiB));
    return made;
}

bool is_first = true;

void expect(const char* kernel, size_t mib, size_t bytes, const char* access) {
    std::printf(
        "%s\n  {\"kernel\": \"%s\", \"allocation\": %zu, \"bytes\": %zu, \"access\": \"%s\"}",
        is_first ? "[" : ",", kernel, mib * MiB, bytes, access);
    is_first = false;
}

}  // namespace

int main(int count, char** words) {
    const int launches = count > 1 ? std::atoi(words[1]) : 20;
    const size_t mib = count > 2 ? std::atoll(words[2]) : 32;  // a multiple of 16
    const size_t sizes[] = {mib, mib + 2, mib + 4, mib + 8, mib + 16, mib + 24, 2 * mib};
    float* arrays[7];
    for (int i = 0; i < 7; ++i) arrays[i] = array(sizes[i], i >= 3);
    const auto n = [&](int i) { return sizes[i] * MiB / 4; };
    for (int i = 0; i < launches; ++i) {
        copy<<<256, 256>>>(arrays[0], arrays[1], arrays[2], n(0));
        half<<<256, 256>>>(arrays[3], arrays[2], n(3));
        middle<<<256, 256>>>(arrays[4], n(4));
        stride<<<4, 256>>>(arrays[5], arrays[2], n(5));
        sparse<<<1, 256>>>(arrays[6], n(6));
    }
    REQUIRE(cudaGetLastError());
    REQUIRE(cudaDeviceSynchronize());
    expect("copy", sizes[0], sizes[0] * MiB, "r");
    expect("copy", sizes[1], sizes[0] * MiB, "w");
    expect("half", sizes[3], sizes[3] * MiB / 2, "r");
    expect("middle", sizes[4], sizes[4] * MiB / 8, "rw");
    expect("stride", sizes[5], sizes[5] * MiB, "r");
    expect("sparse", sizes[6], sizes[6] * MiB / far * page, "w");
    std::printf("\n]\n");
}
