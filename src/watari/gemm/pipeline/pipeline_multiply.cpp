#include "watari/gemm/pipeline/pipeline_parts.hpp"

#include "watari/measure/clock.hpp"

#include <algorithm>
#include <utility>

namespace watari::gemm {

namespace {

/// Returns the number of a step's loads, in their order, up to the last one that column c needs.
std::size_t needed_by(const std::vector<load>& loads, const step& at, std::size_t c) {
    std::size_t count = loads.size();
    while (count > 0 && loads[count - 1].which != matrix::a &&
           loads[count - 1].column > at.column + c)
        --count;
    return count;
}

}  // namespace

void pipeline::parts::multiply_all() {
    std::uint64_t expected = 0;
    for (std::size_t s = 0; s < schedule.steps(); ++s) {
        const gemm::step at = schedule.step(s);
        const std::vector<load> of_step = loads_of(at);
        if (!multiply_step(at, of_step, expected)) return shared.stop();
        expected += of_step.size();
        if (o.who.is_gpu()) steps_end[s % steps_end.size()].record(main_stream());
        std::unique_lock lock(shared.mutex);
        shared.wait(lock, [&] { return loads.count >= expected; });  // also for columns left out
        ++products_done;
        shared.changed.notify_all();
    }
    part_done = 1;
}

bool pipeline::parts::multiply_step(const gemm::step& at, const std::vector<load>& of_step,
                                    std::uint64_t before) {
    std::size_t to_hand_over = 0;
    for (std::size_t c = 0; c < at.columns; ++c) {
        if (done_before(at, c)) continue;
        if (!goes_on(at, c)) {
            if (to_hand_over > 0) hand_over(at, c, to_hand_over);
            return false;
        }
        await_column(at, c, before + needed_by(of_step, at, c));
        multiply_column(at, c);
        to_hand_over += at.last;
        if (at.last && ends_group(at, c)) hand_over(at, c + 1, std::exchange(to_hand_over, 0));
    }
    return true;
}

void pipeline::parts::await_column(const gemm::step& at, std::size_t c, std::uint64_t needed) {
    std::unique_lock lock(shared.mutex);
    const double start = measure::now();
    const bool takes_slots = at.first && schedule.times_c() == 0;  // else the loads of C took them
    shared.wait(lock,
                [&] { return loads.count >= needed && (!takes_slots || is_free(c, at.block)); });
    for (std::size_t r = 0; takes_slots && r < at.rows; ++r)
        occupy(schedule.slot_of_c(r, c), at.block);
    counts.waited += measure::now() - start;
}

void pipeline::parts::multiply_column(const gemm::step& at, std::size_t c) {
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
    } else {  // the tiles of a transposed A lie apart
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
    const std::lock_guard lock(shared.mutex);
    to_write.push({at.row, at.rows, at.column + first, columns, first});
    shared.changed.notify_all();
}

bool pipeline::parts::goes_on(const gemm::step& at, std::size_t c) {
    if (!o.progress || measure::now() - last_report < o.interval) return true;
    part_done = (static_cast<double>(at.number) +
                 static_cast<double>(c) / static_cast<double>(at.columns)) /
                static_cast<double>(schedule.steps());
    return report_progress();
}

bool pipeline::parts::report_progress() {
    last_report = measure::now();
    completed_tiles news;
    {
        const std::lock_guard lock(shared.mutex);
        news = std::exchange(durable, {});
    }
    return o.progress(std::move(news), part_done);
}

}  // namespace watari::gemm
