// Kernels for both backends; see core/backend.hpp.
#include "kernels.hpp"

#include "watari/core/loops.hpp"
#include "watari/core/parallel/sums.hpp"

namespace watari::WATARI_BACKEND {

namespace {

using latency::chain;
using latency::link;

void install(const chain& elements, stream_t stream) {
    for_each(
        elements.count,
        [c = elements] WATARI_KERNEL(std::size_t i) {
            auto* element = reinterpret_cast<link*>(c.first + i * c.stride);
            element->next = reinterpret_cast<const link*>(c.first + c.next[i] * c.stride);
        },
        stream);
}

std::size_t mismatches(const chain& elements, stream_t stream) {
    return sum<std::size_t>(
        elements.count,
        [c = elements] WATARI_KERNEL(std::size_t i) -> std::size_t {
            const auto* element = reinterpret_cast<const link*>(c.first + i * c.stride);
            return element->next != reinterpret_cast<const link*>(c.first + c.next[i] * c.stride);
        },
        stream);
}

/// Runs in one thread. It stores the element reached, so that the compiler keeps the loop. Since
/// the store may alias the elements, a GPU loads them by its ordinary path, not as read-only data.
void chase(const link** cursor, std::size_t steps, stream_t stream) {
    for_each(
        1,
        [=] WATARI_KERNEL(std::size_t) {
            const link* at = *cursor;
            for (std::size_t step = 0; step < steps; step += latency::unrolled)
                for (std::size_t i = 0; i < latency::unrolled; ++i) {
                    WATARI_GLOBAL(at);
                    at = at->next;
                }
            *cursor = at;
        },
        stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::latency {

const kernels kernels::WATARI_BACKEND{.install = WATARI_BACKEND::install,
                                      .mismatches = WATARI_BACKEND::mismatches,
                                      .chase = WATARI_BACKEND::chase};

}  // namespace watari::latency
