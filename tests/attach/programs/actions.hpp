// The actions of the program of the driver API.
#pragma once

#include "driver.hpp"

struct action {
    const char* name;
    void (*run)(std::size_t);
    bool uses_cuda;
};

// Returns the action of rare.cpp with this name, null if it has none.
const action* find_rare(const char* name);

// The same of kept.cpp.
const action* find_kept(const char* name);

// Initialises CUDA and makes a context current, once in each thread.
void begin();

// Fills memory, adds one on the GPU, prints the sum: 2 for each float.
void compute(device_pointer pointer, std::size_t bytes);
