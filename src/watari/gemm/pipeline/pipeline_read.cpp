#include "watari/gemm/pipeline/pipeline_parts.hpp"

namespace watari::gemm {

std::optional<pipeline::parts::ticket> pipeline::parts::next_load() {
    for (; taken == pending.size(); taken = 0) {
        if (next_step == schedule.steps()) return std::nullopt;
        pending_of = schedule.step(next_step++);
        pending = loads_of(pending_of);
    }
    return ticket{loads_taken++, pending_of, pending[taken++]};
}

void pipeline::parts::await_slots(const step& at, const load& tiles,
                                  std::unique_lock<std::mutex>& lock) {
    if (tiles.which != matrix::c) {
        const std::size_t done = schedule.needs_done(at, tiles.which);
        shared.wait_to_read(lock, [&] { return products_done >= done; });
        if (done > 0) await_event(steps_end, done - 1, lock);
        return;
    }
    // if two blocks wait for one column, the earlier block takes it first
    shared.wait_to_read(lock, [&] {
        if (products_done + schedule.steps_of_block() <= at.number) return false;
        for (std::size_t k = 0; k < tiles.columns; ++k)
            if (!is_free(tiles.column + k - at.column, at.block)) return false;
        return true;
    });
    for (std::size_t k = 0; k < tiles.columns; ++k) occupy(tiles.slot + k * tiles.apart, at.block);
}

std::optional<pipeline::parts::ticket> pipeline::parts::take(std::unique_lock<std::mutex>& lock) {
    shared.wait_to_read(lock, [&] { return begun; });
    const std::optional<ticket> next = next_load();
    if (!next) return next;
    await_slots(next->at, next->tiles, lock);
    const bool turns = takes_turns(source_of(next->tiles.which));
    if (turns) shared.wait_to_read(lock, [&] { return writing == 0; });
    ++reading;
    in_turn += turns;
    counts.both_directions += writing > 0;
    return next;
}

void pipeline::parts::locate(const ticket& next, storage::block_list& into) const {
    const auto& [number, at, tiles] = next;
    locate(source_of(tiles.which), stored(tiles), location_of(at, tiles),
           tiles.apart * o.slot_bytes, into);
    if (into.tail > 0) into.tail_memory = location_of(at, tiles.only(tiles.columns - 1, 1));
}

void pipeline::parts::arrived(const ticket& next, std::size_t bytes) {
    --reading;
    in_turn -= takes_turns(source_of(next.tiles.which));
    loads.add(next.number, bytes);
}

bool pipeline::parts::takes_turns(const stored_matrix& from) const {
    return from.source->disk() && from.source->disk() == o.c.source->disk();
}

}  // namespace watari::gemm
