#include "watari/gemm/pipeline/pipeline_parts.hpp"

#include "watari/measure/thread_team.hpp"

#include <algorithm>
#include <utility>

namespace watari::gemm {

namespace {

/// Bytes of a reader's memory for tiles that become floats.
std::size_t landing_of(const pipeline_options& o) { return landing_bytes({o.a.where, o.b.where}); }

memory::buffer<std::byte> fast_memory(const pipeline_options& o) {
    return {memory::local_kind(o.who),
            o.schedule->slots() * o.slot_bytes + o.movers * landing_of(o),
            {.device = o.who.number, .thp = memory::huge_pages::always}};
}

}  // namespace

pipeline::parts::parts(pipeline_options given)
    : o(std::move(given)),
      schedule(*o.schedule),
      arena(fast_memory(o)),
      busy(schedule.slots(), false),
      owner(schedule.slots(), 0),
      to_write(o.c.where.tiles, schedule.most_tiles_per_request(matrix::c)) {
    if (o.who.is_gpu()) {
        device::use(o.who.number);
        stream.emplace();
        for (std::size_t step = 0; step <= schedule.steps_of_block(); ++step)
            steps_end.emplace_back(device::waiting::asleep);
        for (std::size_t c = 0; c < schedule.block_columns(); ++c)
            column_end.emplace_back(device::waiting::asleep);
    }
    for (stored_matrix* each : {&o.c_read, &o.c})
        each->tiles_per_request = schedule.most_tiles_per_request(matrix::c);
    o.a.tiles_per_request = schedule.most_tiles_per_request(matrix::a);
    o.b.tiles_per_request = schedule.most_tiles_per_request(matrix::b);
    measure::unbind();  // threads of the BLAS inherit this thread's set of CPUs
    products = blas::make(o.who, o.type, o.threads, main_stream());
    const std::size_t rows = o.c.tiles_per_request * o.c.where.tiles.tile;
    for (std::size_t i = 0; i < o.movers; ++i)
        sums.emplace_back(memory::host_kind(o.who), std::max<std::size_t>(1, rows));
    for (const tile_of_c& each : o.finished) finished.insert(each);
}

std::byte* pipeline::parts::below(std::size_t first_slot, matrix which, std::size_t tile_column,
                                  std::size_t r) const {
    const placement& in = where(which);
    return slot(first_slot) + r * in.tiles.tile * row_bytes_of(in, tile_column);
}

std::byte* pipeline::parts::location_of(const step& at, const load& tiles) const {
    if (where(tiles.which).transposed) return slot(tiles.slot);
    const std::size_t r = tiles.which == matrix::b ? 0 : tiles.row - at.row;
    return below(tiles.slot - r, tiles.which, tiles.column, r);
}

tile_run pipeline::parts::stored(const load& tiles) const {
    if (where(tiles.which).transposed) return {tiles.column, tiles.row, 1};
    return {tiles.row, tiles.column, tiles.columns};
}

void pipeline::parts::locate(const stored_matrix& of, const tile_run& tiles, std::byte* memory,
                             std::size_t stride, storage::block_list& into) const {
    of.where.locate(tiles.row, tiles.column, tiles.columns, into);
    into.store = of.source;
    into.memory = memory;
    into.stride = stride;
    if (of.where.half) into.widened.to = memory;
}

blas::factor pipeline::parts::factor_a(const step& at, std::size_t r) const {
    const placement& in = o.a.where;
    const std::size_t column = in.transposed ? at.row + r : at.l;  // tile column in the store
    return {slot(schedule.slot_of_a(at, r)) + skip_of(in, column),
            row_bytes_of(in, column) / in.element, in.transposed};
}

blas::factor pipeline::parts::factor_b(const step& at, std::size_t c) const {
    const placement& in = o.b.where;
    const std::size_t column = in.transposed ? at.l : at.column + c;
    return {slot(schedule.slot_of_b(at, c)) + skip_of(in, column),
            row_bytes_of(in, column) / in.element, in.transposed};
}

bool pipeline::parts::done_before(const step& at, std::size_t c) const {
    if (finished.empty()) return false;
    for (std::size_t r = 0; r < at.rows; ++r)
        if (!finished.count({at.row + r, at.column + c})) return false;
    return true;
}

bool pipeline::parts::nothing_left(const step& at) const {
    for (std::size_t c = 0; c < at.columns; ++c)
        if (!done_before(at, c)) return false;
    return true;
}

bool pipeline::parts::left_out(const step& at, matrix which, std::size_t column) const {
    if (which == matrix::a) return schedule.form() != form::panel_a && nothing_left(at);
    if (which == matrix::b && schedule.form() == form::panel_b) return false;
    return done_before(at, column - at.column);
}

std::vector<load> pipeline::parts::loads_of(const step& at) const {
    const std::vector<load> all = schedule.loads(at);
    if (finished.empty()) return all;
    std::vector<load> left;
    for (const load& each : all)
        for (std::size_t k = 0, count; k < each.columns; k += count + 1) {
            for (count = 0; k + count < each.columns; ++count)
                if (left_out(at, each.which, each.column + k + count)) break;
            if (count > 0) left.push_back(each.only(k, count));
        }
    return left;
}

void pipeline::parts::await_event(const std::vector<device::event>& events, std::size_t i,
                                  std::unique_lock<std::mutex>& lock) const {
    if (!o.who.is_gpu()) return;
    const device::event& awaited = events[i % events.size()];
    if (awaited.happened()) return;
    lock.unlock();
    awaited.wait();
    lock.lock();
}

bool pipeline::parts::is_free(std::size_t c, std::size_t block) const {
    for (std::size_t r = 0; r < schedule.block_rows(); ++r) {
        const std::size_t slot = schedule.slot_of_c(r, c);
        if (busy[slot] && owner[slot] != block) return false;
    }
    return true;
}

void pipeline::parts::occupy(std::size_t slot, std::size_t block) {
    busy[slot] = true;
    owner[slot] = block;
}

}  // namespace watari::gemm
