// Memory that a process imports: memory like any other. Virtual memory has its memory from the
// reservation on, and mappings change nothing.
#include <cstring>

#include "../fake_cuda.hpp"

using namespace fake;

FAKE result cuMemAlloc_v2(device_pointer* pointer, std::size_t bytes);
FAKE result cuMemFree_v2(device_pointer pointer);
FAKE result cuMemGetAddressRange_v2(device_pointer*, std::size_t*, device_pointer);

namespace {

struct ipc_handle {
    char bytes[64];
};

// Memory as large as that whose pointer a handle begins with.
result import(device_pointer* pointer, const void* handle) {
    device_pointer shared;
    std::memcpy(&shared, handle, sizeof shared);
    std::size_t bytes = 0;
    if (cuMemGetAddressRange_v2(nullptr, &bytes, shared) != success) return invalid_value;
    return cuMemAlloc_v2(pointer, bytes);
}

}  // namespace

FAKE result cuIpcOpenMemHandle_v2(device_pointer* pointer, ipc_handle handle, unsigned) {
    return import(pointer, &handle);
}

FAKE result cuIpcCloseMemHandle(device_pointer pointer) { return cuMemFree_v2(pointer); }

FAKE result cuExternalMemoryGetMappedBuffer(device_pointer* pointer, void*,
                                            const unsigned long long* described) {
    return cuMemAlloc_v2(pointer, described[1]);
}

FAKE result cuMemPoolImportPointer(device_pointer* pointer, void*, void* data) {
    return import(pointer, data);
}

FAKE result cuMemImportFromShareableHandle(unsigned long long* handle, void*, int) {
    *handle = 77;
    return success;
}

FAKE result cuMemAddressReserve(device_pointer* pointer, std::size_t bytes, std::size_t,
                                device_pointer, unsigned long long) {
    return cuMemAlloc_v2(pointer, bytes);
}

FAKE result cuMemMap(device_pointer, std::size_t, std::size_t, unsigned long long,
                     unsigned long long) {
    return success;
}

FAKE result cuMemUnmap(device_pointer, std::size_t) { return success; }

FAKE result cuMemAddressFree(device_pointer pointer, std::size_t) { return cuMemFree_v2(pointer); }
