// Copies and sets.
#include <cstring>

#include "fake_cuda.hpp"
#include "observe.hpp"

namespace fake {
namespace {

result move(device_pointer to, device_pointer from, std::size_t bytes) {
    const residency::gpu_works copying;
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    ++counted.copies;
    counted.copied_bytes += static_cast<long long>(bytes);
    return success;
}

// The copy of an asynchronous call.
result copy(device_pointer to, device_pointer from, std::size_t bytes, void* stream,
            timeline::engine of) {
    timeline::copy(stream, of, bytes);
    return move(to, from, bytes);
}

result copy_and_wait(device_pointer to, device_pointer from, std::size_t bytes,
                     timeline::engine of) {
    timeline::copy(nullptr, of, bytes);
    timeline::wait_until(timeline::end_of(nullptr));
    return move(to, from, bytes);
}

}  // namespace
}  // namespace fake

using namespace fake;
using enum fake::timeline::engine;

FAKE result cuMemcpyHtoD_v2(device_pointer to, const void* from, std::size_t bytes) {
    return observed("cuMemcpyHtoD_v2", {to, bits(from), bytes},
                    [&] { return copy_and_wait(to, bits(from), bytes, to_gpu); });
}

FAKE result cuMemcpyDtoH_v2(void* to, device_pointer from, std::size_t bytes) {
    return observed("cuMemcpyDtoH_v2", {bits(to), from, bytes},
                    [&] { return copy_and_wait(bits(to), from, bytes, to_cpu); });
}

FAKE result cuMemcpyDtoD_v2(device_pointer to, device_pointer from, std::size_t bytes) {
    return observed("cuMemcpyDtoD_v2", {to, from, bytes},
                    [&] { return copy(to, from, bytes, nullptr, none); });
}

FAKE result cuMemcpy(device_pointer to, device_pointer from, std::size_t bytes) {
    return observed("cuMemcpy", {to, from, bytes},
                    [&] { return copy_and_wait(to, from, bytes, none); });
}

FAKE result cuMemcpyAsync(device_pointer to, device_pointer from, std::size_t bytes, void* stream) {
    return observed("cuMemcpyAsync", {to, from, bytes, bits(stream)},
                    [&] { return copy(to, from, bytes, stream, none); });
}

FAKE result cuMemcpyHtoDAsync_v2(device_pointer to, const void* from, std::size_t bytes,
                                 void* stream) {
    return observed("cuMemcpyHtoDAsync_v2", {to, bits(from), bytes, bits(stream)},
                    [&] { return copy(to, bits(from), bytes, stream, to_gpu); });
}

FAKE result cuMemcpyDtoHAsync_v2(void* to, device_pointer from, std::size_t bytes, void* stream) {
    return observed("cuMemcpyDtoHAsync_v2", {bits(to), from, bytes, bits(stream)},
                    [&] { return copy(bits(to), from, bytes, stream, to_cpu); });
}

FAKE result cuMemsetD8_v2(device_pointer to, unsigned char value, std::size_t count) {
    return observed("cuMemsetD8_v2", {to, value, count}, [&] {
        const residency::gpu_works setting;
        std::memset(reinterpret_cast<void*>(to), value, count);
        return success;
    });
}

FAKE result cuMemsetD8Async(device_pointer to, unsigned char value, std::size_t count, void*) {
    return cuMemsetD8_v2(to, value, count);
}
