#include "watari/gemm/pipeline/pipeline_parts.hpp"

namespace watari::gemm {

std::optional<pipeline::parts::ticket> pipeline::parts::next_load() {
    for (;;) {
        if (taken < pending.size()) {
            return ticket{pending_of, pending[taken++]};
        } else if (next_step < schedule.steps()) {
            pending_of = schedule.step(next_step++);
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
        const auto& [at, tiles] = *next;
        const std::size_t done =
            tiles.which == matrix::c ? 0 : schedule.needs_done(at, tiles.which);
        if (tiles.which == matrix::c) {
            // of two blocks that wait for one column, the earlier first
            wait_to_read(lock, [&] {
                if (products_done + schedule.steps_of_block() <= at.number) return false;
                for (std::size_t k = 0; k < tiles.columns; ++k)
                    if (!is_free(tiles.column + k - at.column, at.block)) return false;
                return true;
            });
            for (std::size_t k = 0; k < tiles.columns; ++k)
                take(tiles.slot + k * tiles.apart, at.block);
        } else {
            wait_to_read(lock, [&] { return products_done >= done; });
        }
        if (done > 0) await_event(steps_end, done - 1, lock);
        const stored_matrix& from = tiles.which == matrix::a   ? o.a
                                    : tiles.which == matrix::b ? o.b
                                                               : o.c_read;
        const bool turns = takes_turns(from);
        if (turns) wait_to_read(lock, [&] { return writing == 0; });
        ++reading;
        in_turn += turns;
        counts.both_directions += writing > 0;
        lock.unlock();
        const std::size_t bytes =
            by.move(from, stored(tiles), location_of(at, tiles), tiles.apart * o.slot_bytes);
        lock.lock();
        --reading;
        in_turn -= turns;
        counts.read += bytes;
        for (std::size_t k = 0; k < tiles.columns; ++k) note_arrival(at, tiles.only(k, 1));
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
