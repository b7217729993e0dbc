// Kernels for both backends; see core/backend.hpp.
#include "kernels.hpp"

#include "word_at.hpp"

#include "watari/core/loops.hpp"
#include "watari/core/parallel/sums.hpp"
#include "watari/measure/pattern.hpp"

#include <bit>

namespace watari::WATARI_BACKEND {

namespace {

struct alignas(16) four_words {
    std::uint32_t word[4];
};

/// Gathers by units of one load and store: on a GPU one unit per thread, so that neighbouring
/// threads share an element; on a CPU a thread copies whole elements.
template <class Unit>
void gather_by(const gather::gathering& pass, stream_t stream) {
    const std::size_t units = pass.element / sizeof(Unit);
    const std::size_t each = executes == processor::type::gpu ? 1 : units;
    const auto shift = static_cast<unsigned>(std::countr_zero(units / each));
    for_each(
        pass.visited.count << shift,
        [p = pass, each, shift] WATARI_KERNEL(std::size_t i) {
            const std::size_t element = i >> shift;
            const std::size_t first = i - (element << shift);
            const auto* from =
                reinterpret_cast<const Unit*>(p.source + p.visited(element) * p.stride);
            auto* to = reinterpret_cast<Unit*>(p.destination + element * p.element);
            for (std::size_t unit = first; unit < first + each; ++unit) to[unit] = from[unit];
        },
        stream);
}

void run_gather(const gather::gathering& pass, stream_t stream) {
    const std::size_t together = pass.element | pass.stride;
    if (together % sizeof(four_words) == 0)
        gather_by<four_words>(pass, stream);
    else if (together % sizeof(std::uint64_t) == 0)
        gather_by<std::uint64_t>(pass, stream);
    else
        gather_by<std::uint32_t>(pass, stream);
}

void read(double* data, std::size_t count, stream_t stream) {
    for_each(
        count,
        [=] WATARI_KERNEL(std::size_t i) {
            if (data[i] == measure::never) data[i] = 0;  // keeps the load, never happens
        },
        stream);
}

std::size_t mismatches(const gather::gathering& pass, std::uint64_t seed, stream_t stream) {
    return sum<std::size_t>(
        pass.visited.count * (pass.element / sizeof(std::uint32_t)),
        [p = pass, seed] WATARI_KERNEL(std::size_t i) -> std::size_t {
            const std::size_t byte = i * sizeof(std::uint32_t);
            const std::size_t element = byte / p.element;
            const std::size_t from = p.visited(element) * p.stride + byte % p.element;
            return reinterpret_cast<const std::uint32_t*>(p.destination)[i] != word_at(from, seed);
        },
        stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::gather {

const kernels kernels::WATARI_BACKEND{.gather = WATARI_BACKEND::run_gather,
                                      .read = WATARI_BACKEND::read,
                                      .mismatches = WATARI_BACKEND::mismatches};

}  // namespace watari::gather
