// A program with a CUDA runtime inside, as far as call sites see it: cudaMalloc calls the driver
// from another place if a tool is present. Its arguments are sizes; each is allocated at two call
// sites.
#include "driver.hpp"

extern "C" __attribute__((noinline)) result libcudart_static_allocate(device_pointer* pointer,
                                                                      std::size_t bytes) {
    const result outcome = cuMemAlloc(pointer, bytes);
    asm volatile("");  // no tail call, here and below
    return outcome;
}

extern "C" __attribute__((noinline)) result cudaMalloc(device_pointer* pointer, std::size_t bytes) {
    result outcome;
    if (std::getenv("TOOL")) {
        outcome = libcudart_static_allocate(pointer, bytes);
        asm volatile("nop");
    } else {
        outcome = libcudart_static_allocate(pointer, bytes);
        asm volatile("");
    }
    return outcome;
}

int main(int argc, char** argv) {
    device_pointer first, second;
    load_driver();
    made_context();
    for (int i = 1; i < argc; ++i) {
        const auto bytes = static_cast<std::size_t>(std::atol(argv[i]));
        REQUIRE(cudaMalloc(&first, bytes));
        REQUIRE(cudaMalloc(&second, 2 * bytes));
    }
    return 0;
}
