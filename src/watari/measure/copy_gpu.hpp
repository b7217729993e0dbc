/// The copy of a GPU: a load and a store of 16 bytes a thread.
#pragma once

#include "watari/core/loops.hpp"

namespace watari::gpu {

template <class Pair>
void copy_pairs(Pair* to, const Pair* from, std::size_t count, stream_t stream) {
    for_each(
        count, [=] __device__(std::size_t i) { to[i] = from[i]; }, stream);
}

}  // namespace watari::gpu
