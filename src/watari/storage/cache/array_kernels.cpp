// For both backends; see core/backend.hpp.
#include "watari/storage/cache/array_kernels.hpp"

#include "watari/core/loops.hpp"
#include "watari/storage/cache/array.hpp"

namespace watari::WATARI_BACKEND {
namespace {

using bytes_array = array<std::byte>;
using storage::cached_bytes;

bytes_array on(const cached_bytes& all) {
    return {{{all.cache}, {all.space, all.space.blocks, all.space.block_bytes}}, all.bytes};
}

WATARI_KERNEL void report(const group& members, std::uint32_t* outcome, storage::status status) {
    if (!status.ok() && members.leads())
        everywhere::store_relaxed(*outcome, std::bit_cast<std::uint32_t>(status));
}

/// Bytes that one warp moves: neighbouring pages, so that few commands bring them. A warp of a CPU
/// is one thread; it gets many times the bytes that it can have in flight.
constexpr std::uint64_t stretch = executes == processor::type::gpu ? 1 << 16 : 1 << 24;

/// Calls body(group, array, first, bytes) for parts of a range that end at page boundaries, one
/// warp for each part.
template <class Body>
void each_part(const cached_bytes& all, std::uint64_t first, std::size_t bytes,
               std::uint32_t* outcome, stream_t stream, Body body) {
    const bytes_array data = on(all);
    const std::uint64_t page = std::uint64_t{1} << all.cache.page_shift;
    const std::uint64_t each = page < stretch ? stretch : page, part = first / each;
    const std::size_t parts = bytes == 0 ? 0 : (first + bytes - 1) / each - part + 1;
    for_each_warp(
        parts,
        [=] WATARI_KERNEL(std::size_t i) {
            const group members = group::active();
            const std::uint64_t begin = i == 0 ? first : (part + i) * each;
            const std::uint64_t end = i + 1 == parts ? first + bytes : (part + i + 1) * each;
            report(members, outcome, body(members, data, begin, end - begin));
        },
        stream);
}

void read_bytes(const cached_bytes& all, std::uint64_t first, std::size_t bytes, std::byte* to,
                std::uint32_t* outcome, stream_t stream) {
    each_part(all, first, bytes, outcome, stream,
              [=] WATARI_KERNEL(const group& members, const bytes_array& data, std::uint64_t begin,
                                std::size_t some) {
                  return data.read(members, begin, some, to + (begin - first));
              });
}

void write_bytes(const cached_bytes& all, std::uint64_t first, std::size_t bytes,
                 const std::byte* from, bool durable, std::uint32_t* outcome, stream_t stream) {
    each_part(all, first, bytes, outcome, stream,
              [=] WATARI_KERNEL(const group& members, const bytes_array& data, std::uint64_t begin,
                                std::size_t some) {
                  return data.write(members, begin, some, from + (begin - first), durable);
              });
}

void flush_all(const cached_bytes& all, std::uint32_t* outcome, stream_t stream) {
    const bytes_array data = on(all);
    const std::uint64_t slots = (all.cache.set_mask + 1) * all.cache.ways;
    const std::uint64_t warps = slots < 2048 ? slots : 2048;
    for_each_warp(
        warps,
        [=] WATARI_KERNEL(std::size_t warp) {
            const group members = group::active();
            report(members, outcome, data.pages.write_back_all(members, warp, warps));
        },
        stream);
    for_each_warp(
        1,
        [=] WATARI_KERNEL(std::size_t) {
            const group members = group::active();
            report(members, outcome, data.pages.store.flush(members));
        },
        stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::storage {

const array_kernels array_kernels::WATARI_BACKEND{.read = WATARI_BACKEND::read_bytes,
                                                  .write = WATARI_BACKEND::write_bytes,
                                                  .flush = WATARI_BACKEND::flush_all};

}  // namespace watari::storage
