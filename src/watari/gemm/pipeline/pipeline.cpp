#include "watari/gemm/pipeline/pipeline_parts.hpp"

#include "watari/measure/clock.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace watari::gemm {

void pipeline::parts::begin() {
    std::fill(busy.begin(), busy.end(), false);
    pending.clear();
    taken = next_step = products_done = ready = ended = writers_ended = 0;
    reading = in_turn = writing = 0;
    part_done = 0;
    over = false;
    first_error = nullptr;
    arrived.clear();
    c_arrived.clear();
    to_write.clear();
    written.clear();
    durable.clear();
    counts = {};
    notes = {};
    counts.blas = products->name();
}

mover pipeline::parts::make_mover(files::direction direction) const {
    return mover(o.who, direction, o.depth, {arena.data(), schedule.slots() * o.slot_bytes});
}

void pipeline::parts::serve(std::size_t i) {
    const bool reads = i < o.movers;
    bool began = false;
    std::optional<mover> by;
    guarded([&] {
        by.emplace(make_mover(reads ? files::direction::read : files::direction::write));
        if (reads)
            by->prepare({schedule.multiplies() ? o.a : stored_matrix{},
                         schedule.multiplies() ? o.b : stored_matrix{},
                         schedule.times_c() > 0 ? o.c_read : stored_matrix{}});
        else
            by->prepare({o.c});
        std::unique_lock lock(mutex);
        ++ready;
        changed.notify_all();
        wait(lock, [&] { return ready > 2 * o.movers; });
        began = true;
    });
    if (began) guarded([&] { reads ? read_tiles(*by) : write_tiles(*by); });
    if (began && !reads) guarded([&] { flush_if_last(*by); });
    std::unique_lock lock(mutex);
    if (by) by->add_notes(notes);
    ++ended;
    changed.notify_all();
    changed.wait(lock, [&] { return over; });
}

pipeline_counts pipeline::parts::run() {
    begin();
    std::vector<std::thread> threads;
    threads.reserve(2 * o.movers);
    double start = measure::now();
    guarded([&] {
        for (std::size_t i = 0; i < 2 * o.movers; ++i)
            threads.emplace_back([this, i] { serve(i); });
        {
            std::unique_lock lock(mutex);
            wait(lock, [&] { return ready == 2 * o.movers; });
            start = last_flush = last_report = measure::now();
            ++ready;
            changed.notify_all();
        }
        multiply_all();
    });
    {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return ended == threads.size(); });
    }
    guarded([&] {
        if (o.who.is_gpu()) device::synchronize(main_stream());
        counts.seconds = measure::now() - start;
        if (o.progress && !first_error) report_progress();
    });
    {
        const std::lock_guard lock(mutex);
        over = true;
        changed.notify_all();
    }
    for (std::thread& each : threads) each.join();
    if (first_error) std::rethrow_exception(first_error);
    counts.notes = notes.texts();
    return counts;
}

pipeline::pipeline(pipeline_options options)
    : parts_(std::make_unique<parts>(std::move(options))) {}

pipeline::~pipeline() = default;

pipeline_counts pipeline::run() { return parts_->run(); }

}  // namespace watari::gemm
