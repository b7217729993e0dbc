/// Neighbouring GPUs meet: the stream of each continues when the streams of its neighbours have
/// reached the same meeting. They then see what it wrote before, and no host waits.
///
/// There is no timeout: where a neighbour never comes, the kernel runs until its process is killed.
#pragma once

#include "watari/core/device.hpp"

#include <cstdint>

namespace watari::comm {

/// With one neighbour. Whoever meets counts, and writes the count to the other.
struct meeting {
    std::uint64_t* own = nullptr;     ///< how often this rank has come
    std::uint64_t* others = nullptr;  ///< how often the neighbour has, which it writes here
    std::uint64_t* told = nullptr;    ///< where the neighbour is told; null: there is none
};

/// The same number of times on both sides; returns before it is done.
void meet(const meeting (&sides)[2], stream_t stream);

}  // namespace watari::comm
