#include "watari/gemm/pipeline/pipeline_parts.hpp"

#include "watari/measure/clock.hpp"
#include "watari/memory/move.hpp"
#include "watari/memory/rows/rows.hpp"

#include <numeric>
#include <utility>

namespace watari::gemm {

void pipeline::parts::write_tiles(writer& by) {
    std::unique_lock lock(shared.mutex);
    shared.wait(lock, [&] { return begun; });
    for (;;) {
        shared.wait(lock, [&] {
            return !to_write.empty() || products_done == schedule.steps() || shared.stopped;
        });
        if (to_write.empty()) return;
        await_event(column_end, to_write.front().last(), lock);
        ++writing;
        shared.wait(lock, [&] { return in_turn == 0; });
        const std::optional<finished_columns> next = to_write.take([&](const auto& columns) {
            return !o.who.is_gpu() || column_end[columns.last()].happened();
        });
        if (next) write_row(by, *next, lock);  // none: another thread took the tiles
        --writing;
        shared.changed.notify_all();
        if (o.progress && measure::now() - last_flush >= o.interval) flush(by, lock);
    }
}

void pipeline::parts::write_row(writer& by, const finished_columns& these,
                                std::unique_lock<std::mutex>& lock) {
    const std::size_t r = these.taken, rows = o.c.where.tiles.rows_of(these.row + r);
    counts.both_directions += reading > 0;
    lock.unlock();
    const tile_run tiles{these.row + r, these.column, these.columns};
    locate(o.c, tiles, below(schedule.slot_of_c(0, these.number), matrix::c, these.column, r),
           schedule.block_rows() * o.slot_bytes, by.blocks);
    if (o.progress) begin_checksums(by, tiles, rows);
    const std::size_t bytes = by.by.move(by.blocks);
    if (o.progress) memory::wait(o.who, by.by.stream());
    lock.lock();
    counts.written += bytes;
    for (std::size_t k = 0; k < these.columns; ++k) {
        busy[schedule.slot_of_c(r, these.number + k)] = false;
        if (o.progress) written[{these.row + r, these.column + k}] = checksum(by, k, rows);
    }
}

void pipeline::parts::begin_checksums(const writer& by, const tile_run& tiles,
                                      std::size_t rows) const {
    const placement& c = o.c.where;
    for (std::size_t k = 0; k < tiles.columns; ++k)
        kernels_on<memory::row_kernels>(o.who).checksum(
            by.sums + k * rows,
            {by.blocks.memory + k * by.blocks.stride, row_bytes_of(c, tiles.column + k)}, rows,
            c.tiles.columns_of(tiles.column + k) * c.element, 0, by.by.stream());
}

std::uint64_t pipeline::parts::checksum(const writer& by, std::size_t tile,
                                        std::size_t rows) const {
    const std::uint64_t* const first = by.sums + tile * rows;
    return std::accumulate(first, first + rows, std::uint64_t{0});
}

void pipeline::parts::flush(writer& by, std::unique_lock<std::mutex>& lock) {
    completed_tiles now_durable = std::exchange(written, {});
    last_flush = measure::now();
    lock.unlock();
    by.by.flush(*o.c.source);
    lock.lock();
    durable.merge(now_durable);
    shared.changed.notify_all();
}

void pipeline::parts::flush_if_last(writer& by) {
    std::unique_lock lock(shared.mutex);
    if (++writers_ended == o.movers && !shared.error) flush(by, lock);
}

}  // namespace watari::gemm
