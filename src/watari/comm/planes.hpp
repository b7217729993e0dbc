/// The kernels of halo exchange: planes into buffers, and buffers into planes.
#pragma once

#include "watari/comm/decomposition.hpp"
#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/processor.hpp"

namespace watari::comm {

/// The kernels of one backend, over both ends of an axis at once; one without a neighbour is left
/// out. 8 bytes a point of a plane. On a GPU they return before they are done.
struct plane_kernels {
    /// Buffers from the field's inner planes.
    void (*pack)(const faces& f, const float* field, float* const (&to)[2], stream_t stream);
    /// The field's outer planes from buffers.
    void (*unpack)(const faces& f, float* field, const float* const (&from)[2], stream_t stream);
};

}  // namespace watari::comm

namespace watari::cpu {
extern const comm::plane_kernels planes_table;
}
namespace watari::gpu {
extern const comm::plane_kernels planes_table;
}

namespace watari::comm {

/// The kernels of the backend that a processor runs. Throws unsupported.
inline const plane_kernels& planes_on(processor who) {
    return dispatched<cpu::planes_table, gpu::planes_table>(who);
}

}  // namespace watari::comm
