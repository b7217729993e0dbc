/// The kernels of halo exchange: both ends of an axis into buffers, and buffers into both ends.
///
/// A field has elements of any size. Bytes: each element is read once and written once.
#pragma once

#include "watari/comm/decomposition.hpp"
#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/processor.hpp"

#include <cstddef>

namespace watari::comm {

/// An array over the points of a box, with the halo.
struct field {
    void* data;
    std::size_t element;  ///< bytes of a point
};

/// The kernels of one backend. They skip an end without a neighbour. On a GPU they return before
/// they are done.
struct pack_kernels {
    /// Fills buffers from the field's inner planes.
    void (*pack)(const faces& f, const field& from, std::byte* const (&to)[2], stream_t stream);
    /// Fills the field's outer planes from buffers.
    void (*unpack)(const faces& f, const field& to, const std::byte* const (&from)[2],
                   stream_t stream);
    static const pack_kernels cpu, gpu;
};

}  // namespace watari::comm
