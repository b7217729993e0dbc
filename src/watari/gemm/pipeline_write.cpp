#include "watari/gemm/pipeline_parts.hpp"

#include "watari/measure/clock.hpp"

#include <utility>

namespace watari::gemm {

void pipeline::parts::write_tiles(mover& by) {
    std::unique_lock lock(mutex);
    for (;;) {
        wait(lock, [&] { return !to_write.empty() || products_done == order.steps(); });
        if (to_write.empty()) return;
        const finished_columns next = to_write.front();
        const std::size_t r = to_write.front().taken++;
        if (r + 1 == next.rows) to_write.pop_front();
        await_event(column_end, next.number + next.columns - 1, lock);
        ++writing;
        wait(lock, [&] { return in_turn == 0; });
        counts.both_ways += reading > 0;
        lock.unlock();
        const std::size_t bytes =
            by.move(o.c, {next.row + r, next.column, next.columns},
                    below(order.slot_of_c(0, next.number), matrix::c, next.column, r),
                    order.block_rows() * o.slot_bytes);
        lock.lock();
        --writing;
        counts.written += bytes;
        for (std::size_t k = 0; k < next.columns; ++k) {
            busy[order.slot_of_c(r, next.number + k)] = false;
            written.push_back({next.row + r, next.column + k});
        }
        changed.notify_all();
        if (o.progress && measure::now() - last_flush > flush_every) flush(by, lock);
    }
}

void pipeline::parts::flush(mover& by, std::unique_lock<std::mutex>& lock) {
    const std::vector<tile_of_c> now_durable = std::exchange(written, {});
    last_flush = measure::now();
    lock.unlock();
    by.flush(o.c);
    lock.lock();
    durable.insert(durable.end(), now_durable.begin(), now_durable.end());
    changed.notify_all();
}

void pipeline::parts::flush_if_last(mover& by) {
    std::unique_lock lock(mutex);
    if (++writers_ended == o.movers && !first_error) flush(by, lock);
}

}  // namespace watari::gemm
