/// The copy of a CPU. A store through the caches reads its line first: a number of 8 bytes moves 24
/// bytes instead of 16. So stores bypass the caches if both arrays together exceed the last one.
#pragma once

#include "watari/core/loops.hpp"
#include "watari/core/streaming_stores.hpp"

namespace watari::cpu {

template <class Pair>
void copy_pairs(Pair* to, const Pair* from, std::size_t count, stream_t stream) {
    if (!beyond_caches(2 * count * sizeof(Pair))) {
        for_each(
            count, [=](std::size_t i) { to[i] = from[i]; }, stream);
        return;
    }
    for_each_part(count, [=](std::size_t i, std::size_t last) {
        for (; i < last; ++i) cpu::stream<sizeof(Pair)>(to + i, from + i);
        end_streams();
    });
}

}  // namespace watari::cpu
