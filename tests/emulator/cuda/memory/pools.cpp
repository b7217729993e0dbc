// Pools, and virtual memory: their handles alone. Memory of a pool is as any other.
#include <cstdlib>

#include "../fake_cuda.hpp"

using namespace fake;

FAKE result cuMemPoolCreate(void** pool, const void*) {
    *pool = std::malloc(8);
    return success;
}

FAKE result cuMemPoolDestroy(void* pool) {
    std::free(pool);
    return success;
}

FAKE result cuDeviceGetDefaultMemPool(void** pool, int) {
    static int of_device;
    *pool = &of_device;
    return success;
}

FAKE result cuDeviceGetMemPool(void** pool, int device) {
    return cuDeviceGetDefaultMemPool(pool, device);
}

FAKE result cuDeviceSetMemPool(int, void*) { return success; }

FAKE result cuMemPoolSetAttribute(void*, int, void*) { return success; }

FAKE result cuMemPoolGetAttribute(void*, int, void* value) {
    *static_cast<unsigned long long*>(value) = 0;
    return success;
}

FAKE result cuMemPoolTrimTo(void*, std::size_t) { return success; }

FAKE result cuMemCreate(unsigned long long* handle, std::size_t bytes, const void*,
                        unsigned long long) {
    *handle = bytes;
    return success;
}

FAKE result cuMemRelease(unsigned long long) { return success; }
