#include "watari/gemm/pipeline/pipeline_parts.hpp"

#include "watari/measure/clock.hpp"

#include <algorithm>
#include <utility>

namespace watari::gemm {

void pipeline::parts::multiply_all() {
    for (std::size_t s = 0; s < schedule.steps(); ++s) {
        const gemm::step at = schedule.step(s);
        std::size_t to_hand_over = 0;
        for (std::size_t c = 0; c < at.columns; ++c) {
            if (done_before(at, c)) continue;
            if (!goes_on(at, c)) {
                if (to_hand_over > 0) hand_over(at, c, to_hand_over);
                return stop();
            }
            multiply_column(at, c);
            to_hand_over += at.last;
            if (at.last && ends_group(at, c)) hand_over(at, c + 1, std::exchange(to_hand_over, 0));
        }
        if (!finished.empty()) await_rest(at);
        if (o.who.is_gpu()) steps_end[s % steps_end.size()].record(main_stream());
        const std::lock_guard lock(mutex);
        ++products_done;
        arrived.erase(s);
        changed.notify_all();
    }
    part_done = 1;
}

void pipeline::parts::await_column(const gemm::step& at, std::size_t c) {
    std::unique_lock lock(mutex);
    const double start = measure::now();
    const bool reads_c = schedule.times_c() > 0;
    wait(lock, [&] {
        if (schedule.multiplies()) {
            const arrivals& here = arrived[at.number];
            if (here.a < at.rows * at.loads_a) return false;
            if (at.loads_b && !here.b.count(c)) return false;
        }
        for (std::size_t r = 0; at.first && r < at.rows; ++r) {
            if (reads_c && !c_arrived.count(schedule.slot_of_c(r, c))) return false;
        }
        return reads_c || !at.first || is_free(c, at.block);
    });
    for (std::size_t r = 0; at.first && r < at.rows; ++r) {
        const std::size_t slot = schedule.slot_of_c(r, c);
        c_arrived.erase(slot);
        take(slot, at.block);
    }
    counts.waited += measure::now() - start;
}

void pipeline::parts::await_rest(const gemm::step& at) {
    if (!schedule.multiplies()) return;
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
    const std::size_t last = at.row + at.rows - 1, n = tiles.columns_of(j);
    const std::size_t m = (at.rows - 1) * tiles.tile + tiles.rows_of(last);
    std::byte* const to = slot(schedule.slot_of_c(0, c));
    const std::size_t row_bytes = row_bytes_of(o.c.where, j);
    const double beta = at.first ? o.beta : 1.0;
    if (!schedule.multiplies()) {
        products->multiply(m, n, 0, 0, {to, 1}, {to, n}, beta, to, row_bytes / e);
    } else if (const tiling& a = o.a.where.tiles; !o.a.where.transposed) {
        products->multiply(m, n, a.columns_of(at.l), o.alpha, factor_a(at, 0), factor_b(at, c),
                           beta, to, row_bytes / e);
    } else {  // its tiles lie apart
        for (std::size_t r = 0; r < at.rows; ++r)
            products->multiply(tiles.rows_of(at.row + r), n, a.rows_of(at.l), o.alpha,
                               factor_a(at, r), factor_b(at, c), beta,
                               to + r * tiles.tile * row_bytes, row_bytes / e);
    }
    if (at.last && o.who.is_gpu()) column_end[c].record(main_stream());
}

bool pipeline::parts::ends_group(const gemm::step& at, std::size_t c) const {
    if (c + 1 == at.columns || done_before(at, c + 1)) return true;
    const std::vector<run_of_tiles> groups = schedule.groups_of_c(at);
    return std::any_of(groups.begin(), groups.end(),
                       [&](const run_of_tiles& each) { return each.first == c + 1; });
}

void pipeline::parts::hand_over(const gemm::step& at, std::size_t end, std::size_t columns) {
    const std::size_t first = end - columns;
    const std::lock_guard lock(mutex);
    to_write.push({at.row, at.rows, at.column + first, columns, first});
    changed.notify_all();
}

bool pipeline::parts::goes_on(const gemm::step& at, std::size_t c) {
    if (!o.progress || measure::now() - last_report < o.interval) return true;
    part_done = (static_cast<double>(at.number) +
                 static_cast<double>(c) / static_cast<double>(at.columns)) /
                static_cast<double>(schedule.steps());
    return report_progress();
}

void pipeline::parts::stop() {
    const std::lock_guard lock(mutex);
    counts.stopped = true;
    changed.notify_all();
}

bool pipeline::parts::report_progress() {
    last_report = measure::now();
    completed_tiles news;
    {
        const std::lock_guard lock(mutex);
        news = std::exchange(durable, {});
    }
    return o.progress(std::move(news), part_done);
}

}  // namespace watari::gemm
