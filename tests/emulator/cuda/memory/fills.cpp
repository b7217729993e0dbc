// Fills of memory: cuMemsetD8 and its kin.
#include <cstring>

#include "../observe.hpp"
#include "../streams.hpp"

namespace fake {
namespace {

template <typename Value>
result fill(device_pointer to, Value value, std::size_t count, void* stream) {
    queue::operation made{.what = queue::operation::kind::fill};
    made.bytes = count * sizeof value;
    made.takes = timeline::of_bytes(made.bytes);
    made.act = [=] {
        const residency::gpu_works setting;
        for (std::size_t i = 0; i < count; ++i)
            std::memcpy(reinterpret_cast<char*>(to) + i * sizeof value, &value, sizeof value);
    };
    return submit(stream, std::move(made));
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
