// Memory that must stay as the program made it: memory that it shares with other processes or
// devices, and memory that it maps itself. Both are recorded and left to the driver.
#include "../log/event_log.hpp"
#include "../log/lock.hpp"
#include "../pooled/retried.hpp"
#include "functions.hpp"

namespace attach {
namespace {

// Records a call that shares the memory at an address, or all of a pool (`what`: "ptr", "pool").
template <auto* Replacement, class... Arguments>
result share(const char* api, const char* what, std::uintptr_t address, Arguments... arguments) {
    const std::uint64_t begun = now();
    pooled::share(address);
    const result outcome = real<Replacement>()(arguments...);
    const guard hold;
    event("share", begun).text("api", api).pointer(what, address).number("rc", outcome).write();
    return outcome;
}

}  // namespace

result cuIpcGetMemHandle(void* handle, device_pointer pointer) {
    return share<cuIpcGetMemHandle>("cuIpcGetMemHandle", "ptr", pointer, handle, pointer);
}

result cuMemGetHandleForAddressRange(void* handle, device_pointer pointer, std::size_t bytes,
                                     int type, unsigned long long flags) {
    return share<cuMemGetHandleForAddressRange>("cuMemGetHandleForAddressRange", "ptr", pointer,
                                                handle, pointer, bytes, type, flags);
}

result cuMemPoolExportPointer(void* data, device_pointer pointer) {
    return share<cuMemPoolExportPointer>("cuMemPoolExportPointer", "ptr", pointer, data, pointer);
}

result cuMemPoolExportToShareableHandle(void* handle, pool from, int type,
                                        unsigned long long flags) {
    return share<cuMemPoolExportToShareableHandle>("cuMemPoolExportToShareableHandle", "pool",
                                                   reinterpret_cast<std::uintptr_t>(from), handle,
                                                   from, type, flags);
}

result cuMulticastBindAddr(unsigned long long to, std::size_t offset, device_pointer pointer,
                           std::size_t bytes, unsigned long long flags) {
    return share<cuMulticastBindAddr>("cuMulticastBindAddr", "ptr", pointer, to, offset, pointer,
                                      bytes, flags);
}

// Programs set this attribute for memory that a network card reads (GPUDirect RDMA).
result cuPointerSetAttribute(const void* value, int attribute, device_pointer pointer) {
    if (attribute != driver::attribute_sync_memops)
        return real<cuPointerSetAttribute>()(value, attribute, pointer);
    return share<cuPointerSetAttribute>("cuPointerSetAttribute(SYNC_MEMOPS)", "ptr", pointer, value,
                                        attribute, pointer);
}

result cuMemCreate(void* handle, std::size_t bytes, const void* properties,
                   unsigned long long flags) {
    const std::uint64_t begun = now();
    const result outcome = retried<cuMemCreate>(handle, bytes, properties, flags);
    const guard hold;
    event("left", begun)
        .text("api", "cuMemCreate")
        .number("bytes", static_cast<long long>(bytes))
        .number("rc", outcome)
        .write();
    return outcome;
}

}  // namespace attach
