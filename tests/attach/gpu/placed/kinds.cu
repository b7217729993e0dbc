// What calls take where `watari try` changes the kind of GPU memory: a table in us, less than 30 s.
// On a machine without a GPU: nvcc -O2 -std=c++17 -arch=sm_90 -cudart static kinds.cu -o kinds
//
//     allocate    cudaMalloc, or what replaces it
//     first in    the first copy from pageable memory to new memory; `in`, `out`: later ones
//     pinned in   copies from and to page-locked memory
//     inside      a copy between two blocks of this kind
//     first fill  cudaMemset of new memory; `fill`: a later one
//     first write a kernel writes new memory; `write`, `read`: later kernels
//     free        cudaFree, or what replaces it
#include <algorithm>
#include <chrono>
#include <vector>

#include "../checked.cuh"

namespace {

const char* const kinds[] = {"device", "managed", "prefetch", "mapped", "pinned"};

__global__ void write(unsigned* data, size_t count) {
    for (size_t i = first(); i < count; i += step()) data[i] = unsigned(i);
}

__global__ void read(const unsigned* data, size_t count, unsigned* sum) {
    unsigned own = 0;
    for (size_t i = first(); i < count; i += step()) own += data[i];
    if (own == 12345) *sum = own;
}

cudaMemLocation place(bool is_gpu) {
    cudaMemLocation at{};
    at.type = is_gpu ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
    return at;
}

unsigned* make(int kind, size_t bytes) {
    void* data = nullptr;
    if (kind == 0) {
        REQUIRE(cudaMalloc(&data, bytes));
    } else if (kind == 4) {
        REQUIRE(cudaHostAlloc(&data, bytes, cudaHostAllocPortable | cudaHostAllocMapped));
    } else {
        REQUIRE(cudaMallocManaged(&data, bytes));
        if (kind == 2) REQUIRE(cudaMemPrefetchAsync(data, bytes, place(true), 0, nullptr));
        if (kind == 3) {
            REQUIRE(cudaMemAdvise(data, bytes, cudaMemAdviseSetPreferredLocation, place(false)));
            REQUIRE(cudaMemAdvise(data, bytes, cudaMemAdviseSetAccessedBy, place(true)));
        }
    }
    return static_cast<unsigned*>(data);
}

template <class Work>
double once(Work work) {
    const auto begun = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begun;
    return took.count();
}

template <class Work>
double usual(size_t bytes, Work work) {
    std::vector<double> times(bytes > size_t{64} << 20 ? 3 : 9);
    for (double& time : times) time = once(work);
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
}

void measure(int kind, size_t bytes) {
    std::vector<char> host(bytes, 1);
    void* locked = nullptr;
    REQUIRE(cudaMallocHost(&locked, bytes));
    unsigned *one = nullptr, *other = nullptr, *third = nullptr, *sum = allocated<unsigned>(4);
    const size_t count = bytes / 4;
    const auto in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
    const auto wait = [] { REQUIRE(cudaDeviceSynchronize()); };
    std::vector<double> us;
    us.push_back(once([&] { one = make(kind, bytes), wait(); }));
    us.push_back(once([&] { REQUIRE(cudaMemcpy(one, host.data(), bytes, in)); }));
    us.push_back(usual(bytes, [&] { REQUIRE(cudaMemcpy(one, host.data(), bytes, in)); }));
    us.push_back(usual(bytes, [&] { REQUIRE(cudaMemcpy(host.data(), one, bytes, out)); }));
    us.push_back(usual(bytes, [&] { REQUIRE(cudaMemcpy(one, locked, bytes, in)); }));
    us.push_back(usual(bytes, [&] { REQUIRE(cudaMemcpy(locked, one, bytes, out)); }));
    other = make(kind, bytes);
    wait();
    us.push_back(once([&] { REQUIRE(cudaMemset(other, 0, bytes)), wait(); }));
    us.push_back(usual(bytes, [&] { REQUIRE(cudaMemset(other, 0, bytes)), wait(); }));
    const auto copy = [&] {
        REQUIRE(cudaMemcpy(other, one, bytes, cudaMemcpyDeviceToDevice)), wait();
    };
    us.push_back(usual(bytes, copy));
    third = make(kind, bytes);
    wait();
    us.push_back(once([&] { write<<<1024, 256>>>(third, count), wait(); }));
    us.push_back(usual(bytes, [&] { write<<<1024, 256>>>(third, count), wait(); }));
    us.push_back(usual(bytes, [&] { read<<<1024, 256>>>(third, count, sum), wait(); }));
    us.push_back(once([&] { REQUIRE(kind == 4 ? cudaFreeHost(third) : cudaFree(third)); }));
    std::printf("%-9s %10zu", kinds[kind], bytes);
    for (double each : us) std::printf(" %11.1f", each);
    std::printf("\n");
    std::fflush(stdout);
    for (unsigned* each : {one, other}) REQUIRE(kind == 4 ? cudaFreeHost(each) : cudaFree(each));
    REQUIRE(cudaFreeHost(locked));
    REQUIRE(cudaFree(sum));
}

}  // namespace

int main() {
    REQUIRE(cudaFree(nullptr));
    write<<<1, 1>>>(nullptr, 0);
    read<<<1, 1>>>(nullptr, 0, nullptr);
    REQUIRE(cudaDeviceSynchronize());
    std::printf("%-9s %10s", "us", "bytes");
    for (const char* name :
         {"allocate", "first in", "in", "out", "pinned in", "pinned out", "first fill", "fill",
          "inside", "first write", "write", "read", "free"})
        std::printf(" %11s", name);
    std::printf("\n");
    for (size_t bytes :
         {size_t{4} << 10, size_t{256} << 10, size_t{4} << 20, size_t{64} << 20, size_t{512} << 20})
        for (int kind = 0; kind < 5; ++kind) measure(kind, bytes);
}
