// Replacements of the functions that register host memory and import GPU memory. They only note it.
#include "../../calls/functions.hpp"
#include "../memory/known.hpp"

namespace attach {
namespace {

using namespace staged;

result imported(result outcome, const device_pointer* pointer, std::size_t bytes) {
    if (outcome == driver::success && pointer) note_imported(*pointer, bytes);
    return outcome;
}

}  // namespace

result cuMemHostRegister_v2(void* host, std::size_t bytes, unsigned flags) {
    const result outcome = real<cuMemHostRegister_v2>()(host, bytes, flags);
    if (outcome == driver::success) note_registered(host, bytes);
    return outcome;
}

result cuMemHostUnregister(void* host) {
    const result outcome = real<cuMemHostUnregister>()(host);
    if (outcome == driver::success) forget_registered(host);
    return outcome;
}

result cuIpcOpenMemHandle_v2(device_pointer* pointer, driver::shared_handle handle,
                             unsigned flags) {
    return imported(real<cuIpcOpenMemHandle_v2>()(pointer, handle, flags), pointer, 0);
}

result cuIpcCloseMemHandle(device_pointer pointer) {
    forget_imported(pointer);
    return real<cuIpcCloseMemHandle>()(pointer);
}

// CUDA_EXTERNAL_MEMORY_BUFFER_DESC begins with the offset and the size.
result cuExternalMemoryGetMappedBuffer(device_pointer* pointer, void* memory,
                                       const unsigned long long* described) {
    const std::size_t bytes = described ? described[1] : 0;
    return imported(real<cuExternalMemoryGetMappedBuffer>()(pointer, memory, described), pointer,
                    bytes);
}

result cuMemPoolImportPointer(device_pointer* pointer, pool from, void* data) {
    return imported(real<cuMemPoolImportPointer>()(pointer, from, data), pointer, 0);
}

result cuMemImportFromShareableHandle(unsigned long long* handle, void* from, int kind) {
    const result outcome = real<cuMemImportFromShareableHandle>()(handle, from, kind);
    if (outcome == driver::success) note_imported_handle(*handle);
    return outcome;
}

result cuMemRelease(unsigned long long handle) {
    forget_imported_handle(handle);
    return real<cuMemRelease>()(handle);
}

result cuMemMap(device_pointer pointer, std::size_t bytes, std::size_t offset,
                unsigned long long handle, unsigned long long flags) {
    const result outcome = real<cuMemMap>()(pointer, bytes, offset, handle, flags);
    if (outcome == driver::success && is_imported_handle(handle)) note_imported(pointer, bytes);
    return outcome;
}

result cuMemUnmap(device_pointer pointer, std::size_t bytes) {
    const result outcome = real<cuMemUnmap>()(pointer, bytes);
    if (outcome == driver::success) forget_imported(pointer);
    return outcome;
}

}  // namespace attach
