/// For the files that call CUDA: a check that throws.
#pragma once

#include "watari/core/error.hpp"

#include <cuda_runtime_api.h>
#include <source_location>

namespace watari {

/// Throws gpu_error with CUDA's own words, unless the call succeeded.
inline void check(cudaError_t status, std::source_location at = std::source_location::current()) {
    if (status == cudaSuccess) return;
    cudaGetLastError();  // an error that is not sticky must not show up in a later call
    throw gpu_error(std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status) +
                    " (" + where(at) + ")");
}

}  // namespace watari
