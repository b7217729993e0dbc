#include "pointers.hpp"

#include <cstdint>

#include "../../driver/driver_call.hpp"
#include "known.hpp"

namespace attach::staged {
namespace {

using driver::device_pointer;
using driver::result;

constexpr int memory_type = 2, is_managed = 8, device_ordinal = 9, range_start = 11,
              range_size = 12;               // CU_POINTER_ATTRIBUTE_*
constexpr int page_tables_of_host = 100;     // CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_...
constexpr std::uintptr_t named_streams = 2;  // legacy and per-thread are no handles

constinit driver_call<result(void*, int, device_pointer)> attribute{"cuPointerGetAttribute"};
constinit driver_call<result(driver::stream, void**)> context_of{"cuStreamGetCtx"};
constinit driver_call<result(int*, int, driver::device)> device_attribute{"cuDeviceGetAttribute"};

template <class Value>
bool read(Value& value, int which, device_pointer pointer) {
    return attribute(&value, which, pointer) == driver::success;
}

}  // namespace

bool is_memory_of(driver::device gpu, device_pointer pointer, std::size_t bytes) {
    unsigned type = 0, managed = 0;
    int device = -1;
    device_pointer start = 0;
    std::size_t size = 0;
    return read(type, memory_type, pointer) && type == driver::device_memory &&
           read(managed, is_managed, pointer) && !managed &&
           read(device, device_ordinal, pointer) && device == gpu &&
           read(start, range_start, pointer) && read(size, range_size, pointer) && bytes <= size &&
           pointer - start <= size - bytes && !is_imported(start, size);
}

bool is_unknown(const void* host, std::size_t bytes) {
    const auto first = reinterpret_cast<device_pointer>(host);
    unsigned type = 0;
    return attribute(&type, memory_type, first) == driver::invalid_value &&
           attribute(&type, memory_type, first + bytes - 1) == driver::invalid_value &&
           !is_any_registered(host, bytes);
}

bool is_stream_of(const void* context, driver::stream on) {
    if (reinterpret_cast<std::uintptr_t>(on) <= named_streams) return true;
    void* found = nullptr;
    return context_of(on, &found) == driver::success && found == context;
}

bool has_page_tables_of_host(driver::device gpu) {
    int value = 0;
    return device_attribute(&value, page_tables_of_host, gpu) != driver::success || value != 0;
}

}  // namespace attach::staged
