// What programs ask and say of pointers: attributes, hints, and memory handed to others.
#include <algorithm>
#include <cstring>

#include "../observe.hpp"
#include "memory.hpp"

namespace fake {
namespace {

// CUpointer_attribute
enum attribute : int {
    context = 1,
    memory_type,
    device_address,
    host_address,
    sync_memops = 6,
    buffer_id,
    is_managed,
    device_ordinal,
    begin = 11,
    size,
    is_mapped,
};
constexpr unsigned host_type = 1, device_type = 2;

template <typename Value>
result give(void* to, Value value) {
    std::memcpy(to, &value, sizeof value);
    return success;
}

result attribute_of(void* value, int asked, device_pointer pointer, const allocation& of) {
    switch (asked) {
        case memory_type:
            return give(value, of.is_host() ? host_type : device_type);
        case device_address:
            return give(value, pointer);
        case host_address:
            return of.of == kind::device ? invalid_value : give(value, pointer);
        case sync_memops:
            return give(value, 0);
        case buffer_id:
            return give(value, of.identifier);
        case is_managed:
            return give(value, unsigned{of.of == kind::managed});
        case device_ordinal:
            return give(value, of.device);
        case begin:
            return give(value, of.begin);
        case size:
            return give(value, of.bytes);
        case is_mapped:
            return give(value, 1);
        default:
            return not_supported;
    }
}

// Of a pointer that the driver does not know, and of an attribute that the memory lacks.
void clear(void* value, int asked) {
    if (asked == memory_type || asked == is_managed || asked == is_mapped || asked == sync_memops)
        give(value, 0);
    else if (asked == device_ordinal)
        give(value, -2);
    else
        give(value, std::uint64_t{0});
}

// Shares memory with other processes or devices: GPU memory alone.
result share(device_pointer pointer) {
    const auto found = find(pointer);
    if (!found || found->of != kind::device) return invalid_value;
    ++counted.shares;
    return success;
}

}  // namespace
}  // namespace fake

using namespace fake;

FAKE result cuPointerGetAttribute(void* value, int asked, device_pointer pointer) {
    const auto found = find(pointer);
    return found ? attribute_of(value, asked, pointer, *found) : invalid_value;
}

FAKE result cuPointerGetAttributes(unsigned count, const int* asked, void** values,
                                   device_pointer pointer) {
    const auto found = find(pointer);
    for (unsigned i = 0; i < count; ++i)
        if (!found || attribute_of(values[i], asked[i], pointer, *found) != success)
            clear(values[i], asked[i]);
    return success;
}

FAKE result cuMemHostGetFlags(unsigned* flags, void* pointer) {
    const auto found = find(bits(pointer));
    if (!found || !found->is_host()) return invalid_value;
    *flags = found->flags;
    return success;
}

FAKE result cuMemHostGetDevicePointer_v2(device_pointer* pointer, void* host, unsigned) {
    const auto found = find(bits(host));
    if (!found || !found->is_host()) return invalid_value;
    *pointer = bits(host);
    return success;
}

FAKE result cuMemGetAddressRange_v2(device_pointer* first, std::size_t* bytes,
                                    device_pointer pointer) {
    const auto found = find(pointer);
    if (!found) return not_found;
    if (first) *first = found->begin;
    if (bytes) *bytes = found->bytes;
    return success;
}

FAKE result cuPointerSetAttribute(const void*, int asked, device_pointer pointer) {
    return asked == sync_memops ? share(pointer) : not_supported;
}

// A handle has the pointer itself: it is good in this process alone.
FAKE result cuIpcGetMemHandle(void* handle, device_pointer pointer) {
    std::memset(handle, 0, 64);
    std::memcpy(handle, &pointer, sizeof pointer);
    return share(pointer);
}

FAKE result cuMemGetHandleForAddressRange(void*, device_pointer pointer, std::size_t, int,
                                          unsigned long long) {
    return share(pointer);
}

FAKE result cuMemPoolExportPointer(void* data, device_pointer pointer) {
    std::memset(data, 0, 64);
    std::memcpy(data, &pointer, sizeof pointer);
    return share(pointer);
}

FAKE result cuMemPoolExportToShareableHandle(void*, void*, int, unsigned long long) {
    return success;
}

FAKE result cuMulticastBindAddr(unsigned long long, std::size_t, device_pointer pointer,
                                std::size_t, unsigned long long) {
    return share(pointer);
}

FAKE result cuMemAdvise(device_pointer pointer, std::size_t bytes, int advice, int device) {
    const auto found = find(pointer);
    if (!found || found->of != kind::managed) return invalid_value;
    ++counted.advices;
    residency::advise(pointer, bytes, advice, device);
    return success;
}

// CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, _PREFERRED_LOCATION, _ACCESSED_BY
FAKE result cuMemRangeGetAttribute(void* value, std::size_t size, int asked, device_pointer pointer,
                                   std::size_t) {
    bool is_read_mostly = false, is_accessed = false;
    int preferred = residency::no_device;
    if (!residency::hints(pointer, is_read_mostly, preferred, is_accessed)) return invalid_value;
    if (asked < 1 || asked > 3) return not_supported;
    if (asked < 3) return give(value, asked == 1 ? int{is_read_mostly} : preferred);
    auto* devices = static_cast<int*>(value);
    std::fill(devices, devices + size / sizeof *devices, residency::no_device);
    return give(value, is_accessed ? current_device() : residency::no_device);
}

FAKE result cuMemPrefetchAsync(device_pointer pointer, std::size_t bytes, int to, void* stream) {
    if (is_refused("cuMemPrefetchAsync")) return not_supported;
    const std::initializer_list<std::uint64_t> parameters = {
        pointer, bytes, pair(static_cast<unsigned>(to), 0), bits(stream)};
    return observed("cuMemPrefetchAsync", parameters, [&] {
        const auto found = find(pointer);
        if (!found || found->of != kind::managed) return invalid_value;
        ++counted.prefetches;
        residency::prefetch(pointer, bytes, to >= 0);
        return success;
    });
}
