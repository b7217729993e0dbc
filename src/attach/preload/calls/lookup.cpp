// Replaces dlsym, by which the CUDA runtime, linked statically or not, and Python's ctypes look up
// the driver's functions. Replaces dlclose, after which addresses may belong to another module.
#include <dlfcn.h>
#include <cstring>

#include "../driver/real.hpp"
#include "../log/site.hpp"
#include "replaced.hpp"

namespace {

// A separate function, so that dlsym below ends in a jump and glibc sees the program as its caller.
__attribute__((noinline)) void* find_driver_function(void* handle, const char* name) {
    const attach::replacement* row = attach::find_symbol(name);
    void* found = attach::real_dlsym()(handle, name);
    // a search through all libraries finds this one first, whether libcuda is loaded or not
    if (found && attach::is_own(found)) found = attach::driver_symbol(name);
    if (!row || !found || !attach::is_wanted(*row)) return found;
    __atomic_store_n(row->real, found, __ATOMIC_RELEASE);
    return row->function();
}

}  // namespace

// RTLD_NEXT means the library after the caller's: only a jump keeps the caller
// (-foptimize-sibling-calls).
extern "C" __attribute__((visibility("default"))) void* dlsym(void* handle, const char* name) {
    if (name[0] == 'c' && name[1] == 'u' && attach::find_symbol(name) && handle != RTLD_NEXT)
        return find_driver_function(handle, name);
    return attach::real_dlsym()(handle, name);
}

extern "C" __attribute__((visibility("default"))) int dlclose(void* handle) {
    auto* close = reinterpret_cast<int (*)(void*)>(attach::real_dlsym()(RTLD_NEXT, "dlclose"));
    const int outcome = close(handle);
    attach::forget_modules();
    return outcome;
}
