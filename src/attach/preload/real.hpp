// The functions behind the replaced ones: glibc's own dlsym, and the driver's.
#pragma once

namespace attach {

using symbol_lookup = void* (*)(void*, const char*);

// glibc's dlsym. The process ends with a message where it has none: nothing could be looked up.
symbol_lookup real_dlsym();

// A symbol of libcuda.so.1 where the process has loaded it, else null.
void* driver_symbol(const char* name);

// Whether an address is in this library.
bool is_own(const void* address);

// A driver function under the type of its replacement, null where this driver has none.
template <class Function>
Function* driver_function(const char* name) {
    return reinterpret_cast<Function*>(driver_symbol(name));
}

}  // namespace attach
