/// Holds a stream until a whole sample is enqueued, so that the cost of enqueueing stays out of the
/// time between device events (as nvbandwidth does).
///
/// No operation that makes the host wait for the GPU may be enqueued behind the hold: pageable
/// copies and managed memory are not held. One of hold.cu and hold_absent.cpp is built.
#pragma once

#include "watari/core/device.hpp"
#include "watari/memory/buffer.hpp"

namespace watari::measure {

/// A spinning kernel and the flag in pinned memory that ends it (or about a second of GPU time).
class hold {
public:
    hold();
    void start(stream_t stream);
    void release() noexcept;

private:
    memory::buffer<int> flag_;
};

}  // namespace watari::measure
