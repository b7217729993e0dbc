#include "watari/gemm/pipeline/pipeline_parts.hpp"

#include "watari/measure/clock.hpp"

#include <utility>

namespace watari::gemm {

void pipeline::parts::write_tiles(mover& by) {
    std::unique_lock lock(mutex);
    for (;;) {
        wait(lock, [&] {
            return !to_write.empty() || products_done == schedule.steps() || counts.stopped;
        });
        if (to_write.empty()) return;
        await_event(column_end, to_write.front().last(), lock);
        ++writing;
        wait(lock, [&] { return in_turn == 0; });
        const std::optional<finished_columns> next = to_write.take([&](const auto& columns) {
            return !o.who.is_gpu() || column_end[columns.last()].happened();
        });
        if (next) write_row(by, *next, lock);  // none: others took what there was
        --writing;
        changed.notify_all();
        if (o.progress && measure::now() - last_flush >= o.interval) flush(by, lock);
    }
}

void pipeline::parts::write_row(mover& by, const finished_columns& these,
                                std::unique_lock<std::mutex>& lock) {
    const std::size_t r = these.taken;
    counts.both_directions += reading > 0;
    lock.unlock();
    const tile_run tiles{these.row + r, these.column, these.columns};
    std::byte* const memory =
        below(schedule.slot_of_c(0, these.number), matrix::c, these.column, r);
    const std::size_t stride = schedule.block_rows() * o.slot_bytes;
    std::vector<std::uint64_t> checksums;
    const std::size_t bytes = o.progress
                                  ? by.move_with_checksums(o.c, tiles, memory, stride, checksums)
                                  : by.move(o.c, tiles, memory, stride);
    lock.lock();
    counts.written += bytes;
    for (std::size_t k = 0; k < these.columns; ++k) {
        busy[schedule.slot_of_c(r, these.number + k)] = false;
        if (o.progress) written[{these.row + r, these.column + k}] = checksums[k];
    }
}

void pipeline::parts::flush(mover& by, std::unique_lock<std::mutex>& lock) {
    completed_tiles now_durable = std::exchange(written, {});
    last_flush = measure::now();
    lock.unlock();
    by.flush(o.c);
    lock.lock();
    durable.merge(now_durable);
    changed.notify_all();
}

void pipeline::parts::flush_if_last(mover& by) {
    std::unique_lock lock(mutex);
    if (++writers_ended == o.movers && !first_error) flush(by, lock);
}

}  // namespace watari::gemm
