#include "watari/gemm/pipeline/pipeline_parts.hpp"

#include "watari/measure/clock.hpp"
#include "watari/memory/move.hpp"

#include <algorithm>
#include <utility>

namespace watari::gemm {

namespace {

/// Bounds on the block lists that move tiles of a matrix.
storage::store_use use_of(const stored_matrix& m) {
    return {m.source, m.where.largest_block(m.tiles_per_request), m.where.most_requests()};
}

}  // namespace

void pipeline::parts::begin() {
    std::fill(busy.begin(), busy.end(), false);
    pending.clear();
    taken = next_step = products_done = writers_ended = 0;
    reading = in_turn = writing = 0;
    loads_taken = 0;
    loads = {};
    part_done = 0;
    begun = shared.stopped = false;
    shared.error = nullptr;
    shared.notes = {};
    to_write.clear();
    written.clear();
    durable.clear();
    counts = {};
    counts.blas = products->name();
}

storage::engine_use pipeline::parts::engines_for(files::direction direction) const {
    const std::size_t slots = schedule.slots() * o.slot_bytes;
    return {o.who,
            direction,
            o.depth,
            {arena.data(), arena.size()},
            {arena.data() + slots, arena.size() - slots}};
}

storage::engine_team pipeline::parts::make_readers() {
    std::vector<storage::store_use> uses;
    if (schedule.multiplies()) uses = {use_of(o.a), use_of(o.b)};
    if (schedule.times_c() > 0) uses.push_back(use_of(o.c_read));
    return {shared, o.movers, engines_for(files::direction::read), uses,
            [this](storage::store_engines& by, std::size_t) {
                storage::read_in_order(by, shared, *this);
            }};
}

storage::engine_team pipeline::parts::make_writers() {
    return {shared,
            o.movers,
            engines_for(files::direction::write),
            {use_of(o.c)},
            [this](storage::store_engines& engines, std::size_t i) {
                writer by{engines, sums[i].data()};
                write_tiles(by);
                flush_if_last(by);
            }};
}

pipeline_counts pipeline::parts::run() {
    begin();
    {
        storage::engine_team readers = make_readers(), writers = make_writers();
        double start = measure::now();
        shared.guarded([&] {
            {
                std::unique_lock lock(shared.mutex);
                shared.wait(lock, [&] { return readers.is_ready() && writers.is_ready(); });
                start = last_flush = last_report = measure::now();
                begun = true;
                shared.changed.notify_all();
            }
            multiply_all();
        });
        {
            std::unique_lock lock(shared.mutex);
            shared.changed.wait(lock, [&] { return readers.has_ended() && writers.has_ended(); });
        }
        shared.guarded([&] {
            memory::wait(o.who, main_stream());
            counts.seconds = measure::now() - start;
            if (o.progress && !shared.error) report_progress();
        });
    }
    if (shared.error) std::rethrow_exception(shared.error);
    counts.stopped = shared.stopped;
    counts.read = loads.bytes;
    counts.received = loads.bytes + shared.notes.surplus();
    counts.notes = shared.notes.texts();
    return counts;
}

pipeline::pipeline(pipeline_options options)
    : parts_(std::make_unique<parts>(std::move(options))) {}

pipeline::~pipeline() = default;

pipeline_counts pipeline::run() { return parts_->run(); }

}  // namespace watari::gemm
