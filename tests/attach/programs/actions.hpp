// What the program of the driver API can be asked to do.
#pragma once

#include "driver.hpp"

struct action {
    const char* name;
    void (*run)(std::size_t);
    bool uses_cuda;
};

// The row of rare.cpp, null where it has none.
const action* find_rare(const char* name);

// CUDA and a current context, once in each thread.
void begin();

// Fills, adds one on the GPU, sums up: 2 for each float.
void compute(device_pointer pointer, std::size_t bytes);
