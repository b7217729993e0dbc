#include "watari/gemm/pipeline_parts.hpp"

#include "watari/measure/clock.hpp"

#include <utility>

namespace watari::gemm {

void pipeline::parts::multiply_all() {
    for (std::size_t s = 0; s < order.steps(); ++s) {
        const gemm::step at = order.step(s);
        for (std::size_t c = 0; c < at.columns; ++c)
            if (!done_before(at, c)) multiply_column(at, c);
        if (!finished.empty()) await_rest(at);
        if (o.who.is_gpu()) steps_end[s % steps_end.size()].record(main_stream());
        {
            const std::lock_guard lock(mutex);
            ++products_done;
            arrived.erase(s);
            changed.notify_all();
        }
        if (!o.progress || measure::now() - last_told < flush_every || tell()) continue;
        counts.stopped = true;
        throw stopped{};
    }
}

void pipeline::parts::await_column(const gemm::step& at, std::size_t c) {
    std::unique_lock lock(mutex);
    const double start = measure::now();
    const bool reads_c = order.times_c() > 0;
    wait(lock, [&] {
        if (order.multiplies()) {
            const arrivals& here = arrived[at.number];
            if (here.a < at.rows * at.loads_a) return false;
            if (at.loads_b && !here.b.count(c)) return false;
        }
        for (std::size_t r = 0; at.first && r < at.rows; ++r) {
            if (reads_c && !c_arrived.count(order.slot_of_c(r, c))) return false;
        }
        return reads_c || !at.first || is_free(c, at.block);
    });
    for (std::size_t r = 0; at.first && r < at.rows; ++r) {
        const std::size_t slot = order.slot_of_c(r, c);
        c_arrived.erase(slot);
        take(slot, at.block);
    }
    counts.waited += measure::now() - start;
}

void pipeline::parts::await_rest(const gemm::step& at) {
    if (!order.multiplies()) return;
    const std::vector<load> loads = loads_of(at);
    std::unique_lock lock(mutex);
    wait(lock, [&] {
        const arrivals& here = arrived[at.number];
        std::size_t of_a = 0, of_b = 0;
        for (const load& each : loads) {
            if (each.which == matrix::a) of_a += each.columns;
            if (each.which == matrix::b) of_b += each.columns;
        }
        return here.a == of_a && here.b.size() == of_b;
    });
}

void pipeline::parts::multiply_column(const gemm::step& at, std::size_t c) {
    await_column(at, c);
    const std::size_t j = at.column + c, e = o.c.where.element;
    const tiling& tiles = o.c.where.tiles;
    const std::size_t last = at.row + at.rows - 1;
    const std::size_t m = (at.rows - 1) * tiles.tile + tiles.rows_of(last);
    std::byte* const to = slot(order.slot_of_c(0, c));
    const double beta = at.first ? o.beta : 1.0;
    if (order.multiplies()) {
        std::byte* const a = slot(order.slot_of_a(at, 0)) + skip_of(o.a.where, at.l);
        std::byte* const b = slot(order.slot_of_b(at, c)) + skip_of(o.b.where, j);
        products->multiply(m, tiles.columns_of(j), o.a.where.tiles.columns_of(at.l), o.alpha, a,
                           row_bytes_of(o.a.where, at.l) / e, b, row_bytes_of(o.b.where, j) / e,
                           beta, to, row_bytes_of(o.c.where, j) / e);
    } else {
        products->multiply(m, tiles.columns_of(j), 0, 0, to, 1, to, tiles.columns_of(j), beta, to,
                           row_bytes_of(o.c.where, j) / e);
    }
    if (!at.last) return;
    if (o.who.is_gpu()) column_end[c].record(main_stream());
    hand_over(at, c);
}

void pipeline::parts::hand_over(const gemm::step& at, std::size_t c) {
    for (const auto& [begin, count] : order.groups_of_c(at)) {
        if (c < begin || c >= begin + count) continue;
        if (c + 1 < begin + count && !done_before(at, c + 1)) return;
        std::size_t first = c;
        while (first > begin && !done_before(at, first - 1)) --first;
        const std::lock_guard lock(mutex);
        to_write.push({at.row, at.rows, at.column + first, c + 1 - first, first});
        changed.notify_all();
    }
}

bool pipeline::parts::tell() {
    last_told = measure::now();
    std::vector<tile_of_c> news;
    {
        const std::lock_guard lock(mutex);
        news = std::exchange(durable, {});
    }
    const double part = order.steps() == 0 ? 1
                                           : static_cast<double>(products_done) /
                                                 static_cast<double>(order.steps());
    return o.progress(std::move(news), part);
}

}  // namespace watari::gemm
