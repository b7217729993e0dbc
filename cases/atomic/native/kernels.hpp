/// The kernel of case `atomic`.
///
/// add: counter[slot(i)] += 1 for every update i, atomically. Bytes: 8 per update, the counter
/// itself. In fact an update reads and writes the counter, and a whole line moves between the
/// caches of a CPU. No flops. The slot is computed, so no bytes of indices. The compiler does not
/// know the slot, so it cannot merge the updates of a warp. clear: 8 bytes written per word.
#pragma once

#include "slots.hpp"
#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/processor.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::counting {

/// The updates of one processor in one sample.
struct task {
    std::uint64_t* counters;
    slots where;
    std::size_t updates;
    std::size_t workers;  ///< threads that share the updates
    std::size_t before;   ///< workers of the other processor, whose counters come first
};

/// The kernels of one backend. On a GPU they return before they are done.
struct kernels {
    void (*clear)(std::uint64_t* counters, std::size_t words, stream_t stream);
    void (*add)(const task& work, stream_t stream);  ///< atomic among threads of this processor
    /// Atomic among threads of both processors, which share the counters.
    void (*add_everywhere)(const task& work, stream_t stream);
    static const kernels cpu, gpu;
};

}  // namespace watari::counting
