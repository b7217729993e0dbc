// The driver of watari_touches, loaded at run time, and its errors.
#pragma once

#include <cuda.h>

#include <dlfcn.h>
#include <cstdio>
#include <cstdlib>

namespace watari::attach {

inline void* driver = nullptr;

[[noreturn]] inline void fail(const char* what, const char* why) {
    std::fprintf(stderr, "watari: %s: %s\n", what, why);
    std::exit(1);
}

template <typename Function>
Function find(const char* name, Function) {
    const auto found = reinterpret_cast<Function>(dlsym(driver, name));
    if (!found) {
        fail(name, "not in this driver");
    }
    return found;
}

inline void require(const char* name, CUresult result) {
    if (result != CUDA_SUCCESS) {
        char text[32];
        std::snprintf(text, sizeof text, "CUDA error %d", static_cast<int>(result));
        fail(name, text);
    }
}

template <typename... Parameters, typename... Arguments>
void call(const char* name, CUresult (*declared)(Parameters...), Arguments... arguments) {
    require(name, find(name, declared)(arguments...));
}

// Times bursts of calls, and prints the nanoseconds of each kind as JSON. `module`: that of the
// program.
void burst(CUmodule module);

enum class pages { small, huge };

// Nanoseconds of the CPU's first touch of a page of memory and its release, in such pages; 0 where
// there is none (fresh.cpp).
double first_touch(pages kind);

// Page faults of this process that needed no disk.
long page_faults();

}  // namespace watari::attach
