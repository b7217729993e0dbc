#include "watari/gemm/pipeline/pipeline_parts.hpp"

namespace watari::gemm {

std::optional<pipeline::parts::ticket> pipeline::parts::next_load() {
    for (;;) {
        if (taken < pending.size()) {
            return ticket{pending_of, pending[taken++]};
        } else if (next_step < order.steps()) {
            pending_of = order.step(next_step++);
            pending = loads_of(pending_of);
            taken = 0;
        } else {
            return std::nullopt;
        }
    }
}

void pipeline::parts::read_tiles(mover& by) {
    std::unique_lock lock(mutex);
    while (const std::optional<ticket> next = next_load()) {
        const auto& [at, what] = *next;
        const std::size_t done = what.which == matrix::c ? 0 : order.needs_done(at, what.which);
        if (what.which == matrix::c) {
            // of two blocks that wait for one column, the earlier first
            wait_to_read(lock, [&] {
                if (products_done + order.steps_of_block() <= at.number) return false;
                for (std::size_t k = 0; k < what.columns; ++k)
                    if (!is_free(what.column + k - at.column, at.block)) return false;
                return true;
            });
            for (std::size_t k = 0; k < what.columns; ++k)
                take(what.slot + k * what.apart, at.block);
        } else {
            wait_to_read(lock, [&] { return products_done >= done; });
        }
        if (done > 0) await_event(steps_end, done - 1, lock);
        const stored_matrix& from = what.which == matrix::a   ? o.a
                                    : what.which == matrix::b ? o.b
                                                              : o.c_read;
        const bool turns = takes_turns(from);
        if (turns) wait_to_read(lock, [&] { return writing == 0; });
        ++reading;
        in_turn += turns;
        counts.both_ways += writing > 0;
        lock.unlock();
        const std::size_t bytes = by.move(from, {what.row, what.column, what.columns},
                                          place_of(at, what), what.apart * o.slot_bytes);
        lock.lock();
        --reading;
        in_turn -= turns;
        counts.read += bytes;
        for (std::size_t k = 0; k < what.columns; ++k) note_arrival(at, what.only(k, 1));
        changed.notify_all();
    }
}

bool pipeline::parts::takes_turns(const stored_matrix& from) const {
    return from.source->disk() && from.source->disk() == o.c.source->disk();
}

void pipeline::parts::note_arrival(const step& at, const load& tile) {
    if (tile.which == matrix::a)
        ++arrived[at.number].a;
    else if (tile.which == matrix::b)
        arrived[at.number].b.insert(tile.column - at.column);
    else
        c_arrived.insert(tile.slot);
}

}  // namespace watari::gemm
