#include "watari/measure/hold.hpp"

#include "watari/core/cuda.hpp"

#include <cuda/atomic>

namespace watari::measure {

namespace {

__global__ void spin(int* released) {
    constexpr long long about_a_second = 2'000'000'000;  // clock cycles: never hold for ever
    const cuda::atomic_ref<int, cuda::thread_scope_system> flag(*released);
    const long long start = clock64();
    while (!flag.load(cuda::memory_order_acquire) && clock64() - start < about_a_second) {
    }
}

}  // namespace

hold::hold() : flag_(memory::kind::pinned, 1) {
    *flag_.data() = 1;  // launched once here, so that no sample waits for the code to load
    spin<<<1, 1>>>(flag_.data());
    device::check_launch();
    device::synchronize(nullptr);
}

void hold::start(stream_t stream) {
    *flag_.data() = 0;
    spin<<<1, 1, 0, stream>>>(flag_.data());
    device::check_launch();
}

void hold::release() noexcept {
    cuda::atomic_ref<int, cuda::thread_scope_system>(*flag_.data())
        .store(1, cuda::memory_order_release);
}

}  // namespace watari::measure
