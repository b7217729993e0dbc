// Kernels for both backends; see core/backend.hpp.
#include "cached_kernels.hpp"

#include "watari/core/loops.hpp"
#include "watari/core/parallel/sums.hpp"
#include "watari/storage/cache/array.hpp"
#include "word_at.hpp"

#include <bit>

namespace watari::WATARI_BACKEND {

namespace {

using gather::cached_gathering;

template <class Unit>
array<Unit> source_of(const storage::cached_bytes& all) {
    return {{{all.cache}, {all.space, all.space.blocks, all.space.block_bytes}},
            all.bytes / sizeof(Unit)};
}

WATARI_KERNEL void note_failure(std::uint32_t* outcome, storage::status status) {
    if (!status.ok()) everywhere::store_relaxed(*outcome, std::bit_cast<std::uint32_t>(status));
}

/// A unit of one load and store a thread of a GPU: threads whose units are in one page share its
/// look-up. A thread of a CPU reads whole elements, by one look-up for each page.
template <class Unit>
void gather_by(const cached_gathering& pass, stream_t stream) {
    const std::size_t units = pass.element / sizeof(Unit);
    const bool shared = executes == processor::type::gpu;
    const auto shift = static_cast<unsigned>(std::countr_zero(shared ? units : std::size_t{1}));
    for_each(
        pass.count << shift,
        [p = pass, source = source_of<Unit>(pass.source), units, shift,
         shared] WATARI_KERNEL(std::size_t i) {
            const std::size_t element = i >> shift, within = i - (element << shift);
            const std::uint64_t from =
                (p.first + p.visited(element) * p.stride) / sizeof(Unit) + within;
            auto* to = reinterpret_cast<Unit*>(p.destination + element * p.element) + within;
            if (shared || units == 1)
                note_failure(p.outcome, source.get(from, *to));
            else
                note_failure(p.outcome, source.read(group::active(), from, units, to));
        },
        stream);
}

void run_gather(const cached_gathering& pass, stream_t stream) {
    if (pass.element % sizeof(std::uint64_t) == 0)
        gather_by<std::uint64_t>(pass, stream);
    else
        gather_by<std::uint32_t>(pass, stream);
}

std::size_t mismatches(const cached_gathering& pass, std::uint64_t seed, stream_t stream) {
    return sum<std::size_t>(
        pass.count * (pass.element / sizeof(std::uint32_t)),
        [p = pass, seed] WATARI_KERNEL(std::size_t i) -> std::size_t {
            const std::size_t byte = i * sizeof(std::uint32_t), element = byte / p.element;
            const std::size_t from = p.visited(element) * p.stride + byte % p.element;
            return reinterpret_cast<const std::uint32_t*>(p.destination)[i] != word_at(from, seed);
        },
        stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::gather {

const cached_kernels cached_kernels::WATARI_BACKEND{.gather = WATARI_BACKEND::run_gather,
                                                    .mismatches = WATARI_BACKEND::mismatches};

}  // namespace watari::gather
