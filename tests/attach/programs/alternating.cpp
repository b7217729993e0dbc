// A program for a trace: managed memory that both processors use in turn, a kernel that waits for a
// copy that it does not use, data that are copied again and again, and memory that is only kept.
//
//     alternating [ROUNDS [KERNEL]]
#include <vector>

#include "driver.hpp"

namespace {

constexpr std::size_t count = 1024 * 1024;
constexpr std::size_t bytes = count * sizeof(float);
void* add_one;

void run(device_pointer pointer) {
    std::size_t of = count;
    void* arguments[] = {&pointer, &of};
    REQUIRE(cuLaunchKernel(add_one, 4096, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
    REQUIRE(cuCtxSynchronize());
}

device_pointer shared_field() {
    device_pointer pointer;
    REQUIRE(cuMemAllocManaged(&pointer, bytes, 1));
    return pointer;
}

device_pointer device_field() {
    device_pointer pointer;
    REQUIRE(cuMemAlloc(&pointer, bytes));
    return pointer;
}

// Both processors in turn.
void alternate(device_pointer managed, int rounds) {
    auto* values = reinterpret_cast<float*>(managed);
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < count; i += 100) values[i] += 1.0f;
        run(managed);
    }
}

// The kernel does not use the data that are copied before it.
void copy_beside_kernel(device_pointer used, device_pointer other, int rounds) {
    std::vector<float> host(count, 1.0f);
    REQUIRE(cuMemcpyHtoD(used, host.data(), bytes));
    for (int round = 0; round < rounds; ++round) {
        REQUIRE(cuMemcpyHtoD(other, host.data(), bytes));
        run(used);
    }
    REQUIRE(cuMemcpyDtoH(host.data(), used, bytes));
    std::printf("%.0f\n", host[0]);
}

}  // namespace

int main(int words, char** word) {
    const int rounds = words > 1 ? std::atoi(word[1]) : 4;
    load_driver();
    made_context();
    add_one = kernel(words > 2 ? word[2] : "add_one");
    const device_pointer managed = shared_field();
    const device_pointer used = device_field(), other = device_field();
    alternate(managed, rounds);
    copy_beside_kernel(used, other, rounds);
    REQUIRE(cuMemFree(managed));
}
