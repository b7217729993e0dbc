// The actions of the program of the driver API.
#pragma once

#include <span>

#include "driver.hpp"

struct action {
    const char* name;
    void (*run)(std::size_t);
    bool uses_cuda = true;
};

extern const std::span<const action> kept_actions, rare_actions;

// Initialises CUDA and makes a context current, once in each thread.
void begin();

inline device_pointer allocated(std::size_t bytes) {
    device_pointer pointer;
    REQUIRE(cuMemAlloc(&pointer, bytes));
    return pointer;
}

// Fills memory, adds one on the GPU, prints the sum: 2 for each float.
void compute(device_pointer pointer, std::size_t bytes);
