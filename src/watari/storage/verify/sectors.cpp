// Kernels for both backends; see core/backend.hpp.
#include "watari/storage/verify/sectors.hpp"

#include "watari/core/loops.hpp"
#include "watari/core/parallel/sums.hpp"
#include "watari/storage/verify/sector.hpp"

namespace watari::WATARI_BACKEND {

namespace {

using storage::blocks;

WATARI_KERNEL inline std::uint64_t* sector_at(const blocks& where, std::size_t i) {
    return static_cast<std::uint64_t*>(where.data) + i * storage::sector_words;
}

WATARI_KERNEL inline std::uint64_t address_of(const blocks& where, std::size_t i) {
    return where.offsets[i / where.sectors] / storage::sector_bytes + i % where.sectors;
}

void write(const blocks& where, std::uint64_t generation, stream_t stream) {
    for_each(
        where.count * where.sectors,
        [=] WATARI_KERNEL(std::size_t i) {
            write_sector(sector_at(where, i), address_of(where, i), generation);
        },
        stream);
}

void spoil(const blocks& where, stream_t stream) {
    for_each(
        where.count * where.sectors,
        [=] WATARI_KERNEL(std::size_t i) { *sector_at(where, i) = storage::no_address; }, stream);
}

std::size_t wrong(const blocks& where, std::uint64_t generation, stream_t stream) {
    return sum<std::size_t>(
        where.count * where.sectors,
        [=] WATARI_KERNEL(std::size_t i) -> std::size_t {
            return !sector_is(sector_at(where, i), address_of(where, i), generation);
        },
        stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::storage {

const sector_kernels sector_kernels::WATARI_BACKEND{
    .write = WATARI_BACKEND::write, .spoil = WATARI_BACKEND::spoil, .wrong = WATARI_BACKEND::wrong};

}  // namespace watari::storage
