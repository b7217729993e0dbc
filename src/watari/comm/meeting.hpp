/// Neighbouring GPUs meet: the stream of each continues when the streams of its neighbours have
/// reached the same meeting. The neighbours then see what the stream wrote before, and no host
/// waits.
///
/// There is no timeout: if a neighbour never arrives, the kernel runs until its process is killed.
#pragma once

#include "watari/core/device.hpp"

#include <cstdint>

namespace watari::comm {

/// A meeting with one neighbour. Each side counts its meetings and writes the count to the other.
struct meeting {
    std::uint64_t* own = nullptr;     ///< meetings that this rank has reached
    std::uint64_t* others = nullptr;  ///< meetings that the neighbour has reached; it writes them
    std::uint64_t* told = nullptr;    ///< `others` of the neighbour, to write; null: there is none
};

/// Both sides must meet equally often. Returns before it is done.
void meet(const meeting (&sides)[2], stream_t stream);

}  // namespace watari::comm
