/// Which backend's table of kernels a processor runs.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/processor.hpp"
#include "watari/core/with_cuda.hpp"

namespace watari {

/// The CPU's table or the GPU's, whose device is then in use. Throws unsupported. A build without
/// CUDA has no table of the GPU: it is named here and never used.
template <const auto& OnCpu, const auto& OnGpu>
const auto& dispatched(processor who) {
    if (who.is_gpu()) {
        device::use(who.number);
        if constexpr (with_cuda) return OnGpu;
    }
    return OnCpu;
}

}  // namespace watari
