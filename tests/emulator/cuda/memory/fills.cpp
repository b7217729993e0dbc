// Fills of memory: cuMemsetD8 and its kin.
#include <cstring>

#include "../observe.hpp"
#include "../streams.hpp"

namespace fake {
namespace {

template <typename Value>
result fill(device_pointer to, Value value, std::size_t count, void* stream) {
    const auto set = [=] {
        const residency::gpu_works setting;
        for (std::size_t i = 0; i < count; ++i)
            std::memcpy(reinterpret_cast<char*>(to) + i * sizeof value, &value, sizeof value);
    };
    const std::uint64_t bytes = count * sizeof value;
    return submit(stream, {.what = queue::operation::kind::fill,
                           .act = set,
                           .takes = timeline::of_bytes(bytes),
                           .bytes = bytes});
}

}  // namespace
}  // namespace fake

using namespace fake;

#define FILLS(name, Value)                                                                     \
    FAKE result name##_v2(device_pointer to, Value value, std::size_t count) {                 \
        return observed(#name "_v2", {to, value, count},                                       \
                        [&] { return fill<Value>(to, value, count, nullptr); });               \
    }                                                                                          \
    FAKE result name##Async(device_pointer to, Value value, std::size_t count, void* stream) { \
        return observed(#name "Async", {to, value, count, bits(stream)},                       \
                        [&] { return fill<Value>(to, value, count, stream); });                \
    }
FILLS(cuMemsetD8, unsigned char)
FILLS(cuMemsetD16, unsigned short)
FILLS(cuMemsetD32, unsigned)
