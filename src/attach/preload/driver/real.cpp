#include "real.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <initializer_list>

extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));
extern "C" const char _end[] __attribute__((visibility("hidden")));

namespace attach {

bool is_own(const void* address) {
    return address >= static_cast<const void*>(__ehdr_start) &&
           address < static_cast<const void*>(_end);
}

symbol_lookup real_dlsym() {
    static std::atomic<symbol_lookup> known;
    if (symbol_lookup lookup = known.load(std::memory_order_acquire)) return lookup;
    // glibc 2.34 and later; before it x86-64, aarch64
    for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"}) {
        if (void* found = dlvsym(RTLD_NEXT, "dlsym", version)) {
            auto lookup = reinterpret_cast<symbol_lookup>(found);
            known.store(lookup, std::memory_order_release);
            return lookup;
        }
    }
    constexpr char text[] =
        "watari: this C library has no dlsym that a preloaded library can use\n";
    [[maybe_unused]] const ssize_t written = write(2, text, sizeof text - 1);
    _exit(127);
}

void* driver_symbol(const char* name) {
    static std::atomic<void*> library;
    void* handle = library.load(std::memory_order_acquire);
    if (!handle) {
        handle = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (!handle) return nullptr;
        library.store(handle, std::memory_order_release);
    }
    return real_dlsym()(handle, name);
}

}  // namespace attach
