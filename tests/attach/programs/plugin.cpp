// A library that allocates, which programs load and unload.
#include "driver.hpp"

extern "C" __attribute__((visibility("default"))) result allocate(std::size_t bytes) {
    device_pointer pointer;
    return cuMemAlloc(&pointer, bytes);
}
