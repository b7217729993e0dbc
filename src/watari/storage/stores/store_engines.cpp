#include "watari/storage/stores/store_engines.hpp"

#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"

#include <algorithm>
#include <stdexcept>

namespace watari::storage {

store_engines::store_engines(const engine_use& how, std::span<const store_use> uses) : how_(how) {
    if (how.who.is_gpu()) {
        device::use(how.who.number);
        stream_.emplace(device::priority::urgent);
    } else {
        cpu::set_threads(1);  // this thread alone realigns rows, while other threads compute
    }
    std::map<const open_store*, engine_options> wanted;
    for (const store_use& use : uses) {
        if (!use.store) continue;
        engine_options& options = wanted[use.store];
        options.direction = how.direction;
        options.depth = use.store->depth(how.depth);
        options.block = std::max(options.block, use.block);
        options.requests = std::max(options.requests, use.blocks);
        options.memory = how.memory.data();
        options.bytes = how.memory.size();
    }
    for (const auto& [store, options] : wanted)
        engines_[store] = {store->open(options), options.block};
}

std::size_t store_engines::move(const block_list& list) {
    if (!list.widened.to) return move_to(list, list.memory);
    if (list.bytes() > how_.landing.size())
        throw std::logic_error("no landing for a list of halves");
    const std::size_t bytes = move_to(list, how_.landing.data());
    memory::half_rows rows = list.widened;
    rows.from = how_.landing.data();
    kernels_on<memory::widen_kernels>(how_.who).widen(rows, stream());
    if (stream_) device::synchronize(stream());
    return bytes;
}

std::size_t store_engines::move_to(const block_list& list, std::byte* memory) {
    const auto& [by, block] = engines_.at(list.store);
    if (std::max({list.block, list.head, list.rest}) > block)
        throw std::logic_error("a request for more bytes than the engine was made for");
    try {
        if (list.head > 0) by->run({std::span(&list.head_offset, 1), memory, list.head});
        if (!list.offsets.empty())
            by->run({.offsets = list.offsets,
                     .memory = memory + list.head,
                     .block = list.block,
                     .parts = list.parts,
                     .stride = list.stride,
                     .overlap = list.overlap,
                     .tail = list.tail,
                     .tail_memory = list.tail_memory});
        if (list.rest > 0)
            by->run({std::span(&list.rest_offset, 1),
                     memory + list.head + list.offsets.size() * list.block, list.rest});
    } catch (const error& reason) {
        // an error of a queue names an address, not a file
        if (!list.store->in_queues() || list.store->path().empty()) throw;
        throw error(list.store->path() + ": " + reason.what());
    }
    if (how_.direction == files::direction::read && list.rows.skip_step != 0 && !list.widened.to) {
        memory::skewed_rows rows = list.rows;
        for (std::size_t part = 0; part < list.parts; ++part) {
            rows.data = memory + part * list.stride;
            kernels_on<memory::realign_kernels>(how_.who).realign(rows, stream());
        }
        if (stream_) device::synchronize(stream());
    }
    return list.bytes();
}

void store_engines::flush(const open_store& store) { engines_.at(&store).by->flush(); }

void store_engines::add_notes(notes& to) const {
    for (const auto& [store, opened] : engines_) to.add(*opened.by);
}

}  // namespace watari::storage
