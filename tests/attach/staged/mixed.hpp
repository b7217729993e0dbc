// What the programs share that copy in ways that `staged` divides or leaves: bytes in both
// memories.
#pragma once

#include <algorithm>
#include <vector>

#include "driver.hpp"

using cuda::device_pointer;

template <class Function>
Function* function(const char* name, int version = 12000, bool is_per_thread = false) {
    return reinterpret_cast<Function*>(cuda::find(name, is_per_thread, version));
}

using bytes = std::vector<unsigned char>;

inline bytes made(std::size_t size, unsigned seed) {
    bytes all(size);
    for (std::size_t i = 0; i < size; ++i)
        all[i] = static_cast<unsigned char>((i * 2654435761u + seed) >> 11);
    return all;
}

inline unsigned char* on_gpu(const bytes& content) {
    const device_pointer device = allocated(content.size());
    for (std::size_t at = 0; at < content.size(); at += mib)  // small: not staged
        REQUIRE(cuda::in(device + at, content.data() + at, std::min(mib, content.size() - at)));
    REQUIRE(cuda::await_all());  // other streams do not wait for copies of pageable memory
    return reinterpret_cast<unsigned char*>(device);
}

inline bytes seen(const void* device, std::size_t size) {
    bytes all(size);
    for (std::size_t at = 0; at < size; at += mib)
        REQUIRE(cuda::out(all.data() + at, reinterpret_cast<device_pointer>(device) + at,
                          std::min(mib, size - at)));
    return all;
}

inline void print(bool is_same) { std::printf("%s\n", is_same ? "same" : "other bytes"); }

inline void start_threads() {
    const bytes host(96 * mib);
    const device_pointer device = allocated(host.size());
    REQUIRE(cuda::in(device, host.data(), host.size()));
    REQUIRE(cuda::release(device));
}
