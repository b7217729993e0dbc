// A library that allocates and copies, which programs load and unload.
#include <vector>

#include "driver.hpp"

extern "C" __attribute__((visibility("default"))) result allocate(std::size_t bytes) {
    device_pointer pointer;
    return cuMemAlloc(&pointer, bytes);
}

extern "C" __attribute__((visibility("default"))) result copy(std::size_t bytes) {
    device_pointer pointer;
    if (const result failed = cuMemAlloc(&pointer, bytes)) return failed;
    const std::vector<char> host(bytes);
    return cuMemcpyHtoD(pointer, host.data(), bytes);
}
