// The functions behind the replaced ones: glibc's own dlsym, and the driver's functions.
#pragma once

namespace attach {

using symbol_lookup = void* (*)(void*, const char*);

// glibc's dlsym. Ends the process with a message if there is none: nothing could be looked up.
symbol_lookup real_dlsym();

// A symbol of libcuda.so.1 if the process has loaded it, else null.
void* driver_symbol(const char* name);

// Whether an address is in this library.
bool is_own(const void* address);

// A driver function as the given type, null if this driver does not have it.
template <class Function>
Function* driver_function(const char* name) {
    return reinterpret_cast<Function*>(driver_symbol(name));
}

}  // namespace attach
