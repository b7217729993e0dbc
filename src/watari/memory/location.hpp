/// A processor as cudaMemPrefetchAsync and cudaMemAdvise take it: CUDA 12 the number of a device,
/// CUDA 13 a cudaMemLocation; `location` converts to both.
#pragma once

#include "watari/core/processor.hpp"

#include <cuda_runtime_api.h>

namespace watari::memory {

struct location {
    processor who;
    operator int() const { return who.is_gpu() ? who.number : cudaCpuDeviceId; }
    operator cudaMemLocation() const {
        cudaMemLocation result{};
        result.type = who.is_gpu() ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
        result.id = who.is_gpu() ? who.number : 0;
        return result;
    }
};

}  // namespace watari::memory
