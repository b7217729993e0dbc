#include "watari/gemm/transfer/mover.hpp"

#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/memory/realign.hpp"
#include "watari/memory/rows.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace watari::gemm {

using files::direction;

mover::mover(processor who, files::direction direction, std::size_t depth,
             std::span<std::byte> memory)
    : who_(who), direction_(direction), depth_(depth), memory_(memory) {
    if (!who.is_gpu()) {
        cpu::set_threads(1);  // rows are realigned by this thread, beside those of the BLAS
        return;
    }
    device::use(who.number);
    stream_.emplace(device::priority::urgent);
}

void mover::prepare(std::initializer_list<stored_matrix> matrices) {
    std::map<const storage::open_store*, storage::engine_options> wanted;
    for (const stored_matrix& m : matrices) {
        if (!m.source) continue;
        storage::engine_options& options = wanted[m.source];
        options.direction = direction_;
        options.depth = m.source->deep() ? depth_ : 1;
        options.block = std::max(options.block, m.where.largest_block(m.tiles_per_request));
        options.requests = std::max(options.requests, m.where.most_requests());
        options.memory = memory_.data();
        options.bytes = memory_.size();
        if (direction_ == files::direction::write)
            sums_.emplace(who_.is_gpu() ? memory::kind::pinned : memory::kind::pageable,
                          std::max<std::size_t>(1, m.tiles_per_request * m.where.tiles.tile));
    }
    for (const auto& [from, options] : wanted)
        engines_[from] = {from->open(options), options.block};
}

std::size_t mover::move(const stored_matrix& m, const tile_run& tiles, std::byte* memory,
                        std::size_t stride) {
    const auto& [engine, block] = engines_.at(m.source);
    list_.choose(m.where, tiles.row, tiles.column, tiles.columns);
    if (list_.block > block)
        throw std::logic_error("a request for more tiles than the engine was made for");
    try {
        engine->run({list_.offsets, memory, list_.block, list_.parts, stride, list_.overlap});
    } catch (const error& reason) {
        // queues know addresses, not files
        if (!m.source->in_queues() || m.source->path().empty()) throw;
        throw error(m.source->path() + ": " + reason.what());
    }
    if (direction_ == files::direction::read && list_.skip_step != 0)
        realign(m.where, tiles, memory, stride);
    return list_.offsets.size() * list_.block;
}

std::size_t mover::move_with_checksums(const stored_matrix& m, const tile_run& tiles,
                                       std::byte* memory, std::size_t stride,
                                       std::vector<std::uint64_t>& checksums) {
    const stream_t stream = stream_ ? stream_->get() : nullptr;
    const std::size_t rows = m.where.tiles.rows_of(tiles.row);
    for (std::size_t k = 0; k < tiles.columns; ++k)
        memory::rows_on(who_).checksum(
            sums_->data() + k * rows,
            {memory + k * stride, row_bytes_of(m.where, tiles.column + k)}, rows,
            m.where.tiles.columns_of(tiles.column + k) * m.where.element, 0, stream);
    const std::size_t bytes = move(m, tiles, memory, stride);
    if (stream) device::synchronize(stream);
    for (std::size_t k = 0; k < tiles.columns; ++k)
        checksums.push_back(std::accumulate(sums_->data() + k * rows,
                                            sums_->data() + (k + 1) * rows, std::uint64_t{0}));
    return bytes;
}

void mover::realign(const placement& where, const tile_run& tiles, std::byte* memory,
                    std::size_t stride) {
    const stream_t stream = stream_ ? stream_->get() : nullptr;
    for (std::size_t k = 0; k < tiles.columns; ++k)
        memory::realign_on(who_).realign(
            {.data = memory + k * stride,
             .count = where.tiles.rows_of(tiles.row),
             .bytes = where.tiles.columns_of(tiles.column + k) * where.element,
             .stride = list_.row_bytes,
             .skip = list_.skip,
             .skip_step = list_.skip_step,
             .unit = where.unit},
            stream);
    if (stream) device::synchronize(stream);
}

void mover::flush(const stored_matrix& m) { engines_.at(m.source).engine->flush(); }

void mover::add_notes(storage::notes& to) const {
    for (const auto& [from, used] : engines_) to.add(*used.engine);
}

}  // namespace watari::gemm
