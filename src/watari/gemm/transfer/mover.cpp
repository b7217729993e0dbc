#include "watari/gemm/transfer/mover.hpp"

#include "watari/core/backend.hpp"
#include "watari/core/error.hpp"
#include "watari/gemm/transfer/realign.hpp"
#include "watari/gemm/transfer/rows.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace watari::gemm {

using storage::direction;

mover::mover(processor who, direction way, std::size_t depth, std::span<std::byte> memory)
    : who_(who), way_(way), depth_(depth), memory_(memory) {
    if (!who.is_gpu()) {
        cpu::set_threads(1);  // rows are realigned by this thread, beside those of the BLAS
        return;
    }
    device::use(who.number);
    stream_.emplace(device::priority::urgent);
}

void mover::prepare(std::initializer_list<stored_matrix> matrices) {
    std::map<const source*, storage::duty> duties;
    for (const stored_matrix& m : matrices) {
        if (!m.source) continue;
        storage::duty& what = duties[m.source];
        what.way = way_;
        what.depth = m.source->deep() ? depth_ : 1;
        what.block = std::max(what.block, m.where.largest_block(m.together));
        what.requests = std::max(what.requests, m.where.most_requests());
        what.memory = memory_.data();
        what.bytes = memory_.size();
        if (way_ == direction::write)
            sums_.emplace(who_.is_gpu() ? memory::kind::pinned : memory::kind::pageable,
                          std::max<std::size_t>(1, m.together * m.where.tiles.tile));
    }
    for (const auto& [from, what] : duties) ways_[from] = {from->open(what), what.block};
}

std::size_t mover::move(const stored_matrix& m, const tile_run& tiles, std::byte* memory,
                        std::size_t stride) {
    const auto& [engine, block] = ways_.at(m.source);
    list_.choose(m.where, tiles.row, tiles.column, tiles.columns);
    if (list_.block > block) throw std::logic_error("tiles together that no engine was made for");
    try {
        engine->run({list_.offsets, memory, list_.block, list_.parts, stride, list_.overlap});
    } catch (const error& reason) {
        // queues know addresses, not files
        if (m.source->files() || m.source->path().empty()) throw;
        throw error(m.source->path() + ": " + reason.what());
    }
    if (way_ == direction::read && list_.skip_step != 0) realign(m.where, tiles, memory, stride);
    return list_.offsets.size() * list_.block;
}

std::size_t mover::move_with_checksums(const stored_matrix& m, const tile_run& tiles,
                                       std::byte* memory, std::size_t stride,
                                       std::vector<std::uint64_t>& checksums) {
    const stream_t stream = stream_ ? stream_->get() : nullptr;
    const std::size_t rows = m.where.tiles.rows_of(tiles.row);
    for (std::size_t k = 0; k < tiles.columns; ++k)
        rows_on(who_).checksum(sums_->data() + k * rows,
                               {memory + k * stride, row_bytes_of(m.where, tiles.column + k)}, rows,
                               m.where.tiles.columns_of(tiles.column + k) * m.where.element, 0,
                               stream);
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
        realign_on(who_).realign({.data = memory + k * stride,
                                  .count = where.tiles.rows_of(tiles.row),
                                  .bytes = where.tiles.columns_of(tiles.column + k) * where.element,
                                  .stride = list_.row_bytes,
                                  .skip = list_.skip,
                                  .skip_step = list_.skip_step,
                                  .unit = where.unit},
                                 stream);
    if (stream) device::synchronize(stream);
}

void mover::flush(const stored_matrix& m) { ways_.at(m.source).engine->flush(); }

void mover::tell(storage::remarks& into) const {
    for (const auto& [from, way] : ways_) into.add(*way.engine);
}

}  // namespace watari::gemm
