// The table of the driver's functions that this library replaces. Each has two names: the plain
// symbol, for programs that link libcuda.so.1 or look it up by dlsym, and the name that
// cuGetProcAddress takes, for the CUDA runtime and other code that looks functions up by it.
#pragma once

#include <cstdint>

namespace attach {

struct replacement {
    const char* symbol;  // of libcuda.so.1
    const char* name;    // of cuGetProcAddress
    bool is_per_thread;  // the variant whose default stream is a thread's own
    int first_version;   // of CUDA, in which the name means this symbol
    int last_version;
    void* (*function)();
    void** real;          // address of the pointer to the driver's own function
    bool (*is_wanted)();  // null: by every program
    // of both names: the CUDA runtime looks up hundreds of functions when it starts
    std::uint32_t hash_of_symbol, hash_of_name;
};

// The row of a plain symbol, null if it is not replaced.
const replacement* find_symbol(const char* symbol);

// Whether this program gets the replacement.
bool is_wanted(const replacement& row);

// The plain symbol of a replacement.
const char* symbol_of(const void* function);

// The row of a name as cuGetProcAddress resolves it, null if it is not replaced.
const replacement* find_name(const char* name, int version, std::uint64_t flags);

}  // namespace attach
