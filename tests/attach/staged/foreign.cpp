// A program that copies memory which the driver must copy itself. Its arguments say which, in turn:
//
//     registered        memory of which a part is registered, then unregistered
//     reset             the same, where a reset of the context ends the registration
//     imported HOW      memory of another process (ipc), of a graphics library (external), of a
//     pool
//                       (pool) or of a handle (handle); then it is closed
//
// It copies 96 MiB before, so that threads have started, and prints `same` or what differs.
#include <sys/mman.h>

#include <cstring>
#include <string>

#include "mixed.hpp"

namespace {

void* mapped(std::size_t size) {
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::exit(4);
    return memory;
}

void copy_all(unsigned char* host, std::size_t size) {
    const device_pointer device = allocated(size);
    const bytes content(host, host + size);
    REQUIRE(cuda::in(device, host, size));
    print(seen(reinterpret_cast<void*>(device), size) == content);
    REQUIRE(cuda::release(device));
}

void copy_registered(bool is_reset) {
    constexpr std::size_t size = 16 * mib;
    auto* host = static_cast<unsigned char*>(mapped(size));
    for (std::size_t i = 0; i < size; ++i) host[i] = static_cast<unsigned char>(i >> 9);
    REQUIRE(cuda::enroll(host + 4 * mib, 2 * mib, 0));
    copy_all(host, size);
    if (is_reset) {
        REQUIRE(cuda::reset_context(0));
        begin();
    } else {
        REQUIRE(function<cuda::result(void*)>("cuMemHostUnregister")(host + 4 * mib));
    }
    copy_all(host, size);
}

struct shared_handle {
    char content[64];
};

void copy_imported(const std::string& how) {
    const bytes content = made(16 * mib, 12);
    const device_pointer own = allocated(content.size());
    device_pointer pointer = 0;
    shared_handle handle{};
    std::memcpy(handle.content, &own, sizeof own);
    unsigned long long number = 0;
    if (how == "ipc") {
        REQUIRE(function<cuda::result(device_pointer*, shared_handle, unsigned)>(
            "cuIpcOpenMemHandle")(&pointer, handle, 1));
    } else if (how == "external") {
        const unsigned long long described[12] = {0, content.size()};
        REQUIRE(function<cuda::result(device_pointer*, void*, const unsigned long long*)>(
            "cuExternalMemoryGetMappedBuffer")(&pointer, nullptr, described));
    } else if (how == "pool") {
        REQUIRE(function<cuda::result(device_pointer*, void*, void*)>("cuMemPoolImportPointer")(
            &pointer, nullptr, &handle));
    } else {
        using size = std::size_t;
        using id = unsigned long long;
        REQUIRE(function<cuda::result(id*, void*, int)>("cuMemImportFromShareableHandle")(
            &number, nullptr, 1));
        REQUIRE(function<cuda::result(device_pointer*, size, size, device_pointer, id)>(
            "cuMemAddressReserve")(&pointer, content.size(), 0, 0, 0));
        REQUIRE(function<cuda::result(device_pointer, size, size, id, id)>("cuMemMap")(
            pointer, content.size(), 0, number, 0));
    }
    REQUIRE(cuda::in(pointer, content.data(), content.size()));
    print(seen(reinterpret_cast<void*>(pointer), content.size()) == content);
    const auto close =
        function<cuda::result(device_pointer)>(how == "ipc" ? "cuIpcCloseMemHandle" : "cuMemFree");
    if (how == "handle")
        REQUIRE(function<cuda::result(device_pointer, std::size_t)>("cuMemUnmap")(pointer,
                                                                                  content.size()));
    REQUIRE(close(pointer));
    const device_pointer again = allocated(content.size());  // often at the same address
    REQUIRE(cuda::in(again, content.data(), content.size()));
    print(seen(reinterpret_cast<void*>(again), content.size()) == content);
}

}  // namespace

int main(int argc, char** argv) {
    begin();
    start_threads();
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "registered") copy_registered(false);
        if (word == "reset") copy_registered(true);
        if (word == "imported") copy_imported(argv[++i]);
    }
    return 0;
}
