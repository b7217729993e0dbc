#include "watari/gemm/pipeline.hpp"

#include "watari/core/error.hpp"
#include "watari/measure/clock.hpp"
#include "watari/measure/crew.hpp"
#include "watari/memory/buffer.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

namespace watari::gemm {

namespace {

using storage::direction;

constexpr double flush_every = 1;     ///< seconds
constexpr double rate_seconds = 0.4;  ///< that the BLAS is timed for

memory::buffer<std::byte> fast_memory(const pipeline_options& o) {
    const auto kind = o.who.is_gpu() ? memory::kind::device : memory::kind::pageable;
    return {kind,
            o.order->slots() * o.slot_bytes,
            {.device = o.who.number, .thp = memory::huge_pages::always}};
}

/// Neighbouring columns of tiles of C that are done, waiting to be written.
struct finished_columns {
    std::size_t row, rows, column, columns;  ///< tiles of C
    std::size_t number;                      ///< of the first column in its block
    std::size_t taken = 0;                   ///< rows that a thread writes or has written
};

}  // namespace

struct pipeline::parts {
    explicit parts(pipeline_options given)
        : o(std::move(given)),
          order(*o.order),
          arena(fast_memory(o)),
          busy(order.slots(), false),
          owner(order.slots(), 0) {
        if (o.who.is_gpu()) {
            device::use(o.who.number);
            stream.emplace();
            for (int step = 0; step < 2; ++step) steps_end.emplace_back(device::waiting::asleep);
            for (std::size_t c = 0; c < order.block_columns(); ++c)
                column_end.emplace_back(device::waiting::asleep);
        }
        for (stored_matrix* each : {&o.c_read, &o.c})
            each->together = order.most_together(matrix::c);
        o.a.together = order.most_together(matrix::a);
        o.b.together = order.most_together(matrix::b);
        measure::unbind();  // the BLAS makes threads that run where this one may
        products = make_blas(o.who, o.type, o.threads, main_stream());
        for (const tile_of_c& each : o.finished) finished.insert(each);
    }

    // ---- where things are

    stream_t main_stream() const { return stream ? stream->get() : nullptr; }
    std::byte* slot(std::size_t number) const { return arena.data() + number * o.slot_bytes; }
    const placement& where(matrix which) const {
        return which == matrix::a ? o.a.where : which == matrix::b ? o.b.where : o.c.where;
    }
    /// Tile r of those that lie one below the other from a slot on.
    std::byte* below(std::size_t first_slot, matrix which, std::size_t tile_column,
                     std::size_t r) const {
        const placement& in = where(which);
        return slot(first_slot) + r * in.tiles.tile * row_bytes_of(in, tile_column);
    }
    std::byte* place_of(const step& at, const load& what) const {
        const std::size_t r = what.which == matrix::b ? 0 : what.row - at.row;
        return below(what.slot - r, what.which, what.column, r);
    }

    /// Whether all tiles of a block's column were done before.
    bool done_before(const step& at, std::size_t c) const {
        if (finished.empty()) return false;
        for (std::size_t r = 0; r < at.rows; ++r)
            if (!finished.count({at.row + r, at.column + c})) return false;
        return true;
    }
    bool nothing_left(const step& at) const {
        for (std::size_t c = 0; c < at.columns; ++c)
            if (!done_before(at, c)) return false;
        return true;
    }
    bool left_out(const step& at, matrix which, std::size_t column) const {
        if (which == matrix::a) return order.form() != form::panel_a && nothing_left(at);
        if (which == matrix::b && order.form() == form::panel_b) return false;
        return done_before(at, column - at.column);
    }
    /// The schedule's, without tiles that are left out.
    std::vector<load> loads_of(const step& at) const {
        const std::vector<load> all = order.loads(at);
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

    // ---- what threads tell each other, under `mutex`

    template <class Condition>
    void wait(std::unique_lock<std::mutex>& lock, Condition condition) {
        changed.wait(lock, [&] { return stopping || condition(); });
        if (stopping) throw stopped{};
    }
    struct stopped {};

    void fail(std::exception_ptr thrown) {
        const std::lock_guard lock(mutex);
        if (!first_error) first_error = thrown;
        stopping = true;
        changed.notify_all();
    }

    template <class Work>
    void guarded(const Work& work) {
        try {
            work();
        } catch (const stopped&) {
        } catch (...) {
            fail(std::current_exception());
        }
    }

    /// Whether all tiles that earlier blocks left in a column of slots are written. All: tiles lie
    /// one below the other, elsewhere where another block's column is wider or narrower.
    bool is_free(std::size_t c, std::size_t block) const {
        for (std::size_t r = 0; r < order.block_rows(); ++r) {
            const std::size_t slot = order.slot_of_c(r, c);
            if (busy[slot] && owner[slot] != block) return false;
        }
        return true;
    }
    void take(std::size_t slot, std::size_t block) {
        busy[slot] = true;
        owner[slot] = block;
    }

    /// Tiles of a step that have come: one record for each of the two steps that may be loading.
    struct arrivals {
        std::size_t step = ~std::size_t{0};
        std::size_t a = 0;
        std::set<std::size_t> b;
    };
    arrivals& arrived(std::size_t s) {
        arrivals& record = arrived_[s % 2];
        if (record.step != s) record = {s, 0, {}};
        return record;
    }

    // ---- the threads that read

    struct ticket {
        gemm::step at;
        load what;
    };

    /// The next tile to read, in the schedule's order; none: all are taken.
    std::optional<ticket> next_load() {
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

    void read_tiles(mover& by) {
        std::unique_lock lock(mutex);
        while (const std::optional<ticket> next = next_load()) {
            const auto& [at, what] = *next;
            if (what.which == matrix::c) {
                // of two blocks that wait for one column, the earlier first
                wait(lock, [&] {
                    if (products_done + order.steps_of_block() <= at.number) return false;
                    for (std::size_t k = 0; k < what.columns; ++k)
                        if (!is_free(what.column + k - at.column, at.block)) return false;
                    return true;
                });
                for (std::size_t k = 0; k < what.columns; ++k)
                    take(what.slot + k * what.apart, at.block);
            } else {
                wait(lock, [&] { return products_done + 1 >= at.number; });
            }
            lock.unlock();
            if (o.who.is_gpu() && what.which != matrix::c && at.number >= 2)
                steps_end[at.number % 2].wait();
            const stored_matrix& from = what.which == matrix::a   ? o.a
                                        : what.which == matrix::b ? o.b
                                                                  : o.c_read;
            const std::size_t bytes = by.move(from, {what.row, what.column, what.columns},
                                              place_of(at, what), what.apart * o.slot_bytes);
            lock.lock();
            counts.read += bytes;
            for (std::size_t k = 0; k < what.columns; ++k) note_arrival(at, what.only(k, 1));
            changed.notify_all();
        }
    }
    void note_arrival(const step& at, const load& tile) {
        if (tile.which == matrix::a)
            ++arrived(at.number).a;
        else if (tile.which == matrix::b)
            arrived(at.number).b.insert(tile.column - at.column);
        else
            c_arrived.insert(tile.slot);
    }

    // ---- the threads that write

    void write_tiles(mover& by) {
        std::unique_lock lock(mutex);
        for (;;) {
            wait(lock, [&] { return !to_write.empty() || products_done == order.steps(); });
            if (to_write.empty()) return;
            const finished_columns next = to_write.front();
            const std::size_t r = to_write.front().taken++;
            if (r + 1 == next.rows) to_write.pop_front();
            lock.unlock();
            if (o.who.is_gpu()) column_end[next.number + next.columns - 1].wait();
            const std::size_t bytes =
                by.move(o.c, {next.row + r, next.column, next.columns},
                        below(order.slot_of_c(0, next.number), matrix::c, next.column, r),
                        order.block_rows() * o.slot_bytes);
            lock.lock();
            counts.written += bytes;
            for (std::size_t k = 0; k < next.columns; ++k) {
                busy[order.slot_of_c(r, next.number + k)] = false;
                written.push_back({next.row + r, next.column + k});
            }
            changed.notify_all();
            if (o.progress && measure::now() - last_flush > flush_every) flush(by, lock);
        }
    }

    /// What has been written up to now becomes durable.
    void flush(mover& by, std::unique_lock<std::mutex>& lock) {
        const std::vector<tile_of_c> now_durable = std::exchange(written, {});
        last_flush = measure::now();
        lock.unlock();
        by.flush(o.c);
        lock.lock();
        durable.insert(durable.end(), now_durable.begin(), now_durable.end());
        changed.notify_all();
    }

    // ---- the calling thread

    void multiply_all() {
        for (std::size_t s = 0; s < order.steps(); ++s) {
            const gemm::step at = order.step(s);
            for (std::size_t c = 0; c < at.columns; ++c)
                if (!done_before(at, c)) multiply_column(at, c);
            if (!finished.empty()) await_rest(at);
            if (o.who.is_gpu()) steps_end[s % 2].record(main_stream());
            {
                const std::lock_guard lock(mutex);
                ++products_done;
                changed.notify_all();
            }
            if (!o.progress || measure::now() - last_told < flush_every || tell()) continue;
            counts.stopped = true;
            throw stopped{};
        }
    }

    void await_column(const gemm::step& at, std::size_t c) {
        std::unique_lock lock(mutex);
        const double start = measure::now();
        const bool reads_c = order.times_c() > 0;
        wait(lock, [&] {
            if (order.multiplies()) {
                const arrivals& here = arrived(at.number);
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

    /// Where columns are left out, tiles come all the same that later steps count on: they must
    /// have come before a later step's do.
    void await_rest(const gemm::step& at) {
        if (!order.multiplies()) return;
        const std::vector<load> loads = loads_of(at);
        std::unique_lock lock(mutex);
        wait(lock, [&] {
            const arrivals& here = arrived(at.number);
            std::size_t of_a = 0, of_b = 0;
            for (const load& each : loads) {
                if (each.which == matrix::a) of_a += each.columns;
                if (each.which == matrix::b) of_b += each.columns;
            }
            return here.a == of_a && here.b.size() == of_b;
        });
    }

    void multiply_column(const gemm::step& at, std::size_t c) {
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
            products->multiply(m, tiles.columns_of(j), 0, 0, to, 1, to, tiles.columns_of(j), beta,
                               to, row_bytes_of(o.c.where, j) / e);
        }
        if (!at.last) return;
        if (o.who.is_gpu()) column_end[c].record(main_stream());
        hand_over(at, c);
    }

    /// To those who write: column c, the last of its group that is done, with those before it.
    void hand_over(const gemm::step& at, std::size_t c) {
        for (const auto& [begin, count] : order.groups_of_c(at)) {
            if (c < begin || c >= begin + count) continue;
            if (c + 1 < begin + count && !done_before(at, c + 1)) return;
            std::size_t first = c;
            while (first > begin && !done_before(at, first - 1)) --first;
            const std::lock_guard lock(mutex);
            to_write.push_back({at.row, at.rows, at.column + first, c + 1 - first, first});
            changed.notify_all();
        }
    }

    /// Tells how far it is. False: it is to stop.
    bool tell() {
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

    // ---- all of it

    void begin() {
        std::fill(busy.begin(), busy.end(), false);
        pending.clear();
        taken = next_step = products_done = ready = ended = writers_ended = 0;
        stopping = over = false;
        first_error = nullptr;
        arrived_ = {};
        c_arrived.clear();
        to_write.clear();
        written.clear();
        durable.clear();
        counts = {};
        counts.blas = products->name();
    }

    mover make_mover(direction way) const {
        return mover(o.who, way, o.depth, {arena.data(), order.slots() * o.slot_bytes});
    }

    /// One thread that reads or writes. Its engine is made before the clock starts and given back
    /// after it has stopped.
    void serve(std::size_t i) {
        const bool reads = i < o.movers;
        bool began = false;
        std::optional<mover> by;
        guarded([&] {
            by.emplace(make_mover(reads ? direction::read : direction::write));
            if (reads)
                by->prepare({order.multiplies() ? o.a : stored_matrix{},
                             order.multiplies() ? o.b : stored_matrix{},
                             order.times_c() > 0 ? o.c_read : stored_matrix{}});
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
        if (by) keep(by->notes());
        ++ended;
        changed.notify_all();
        changed.wait(lock, [&] { return over; });
    }

    /// The last of those who write makes durable what all have written.
    void flush_if_last(mover& by) {
        std::unique_lock lock(mutex);
        if (++writers_ended == o.movers && !first_error) flush(by, lock);
    }

    void keep(const std::vector<std::string>& notes) {
        for (const std::string& each : notes)
            if (std::find(counts.notes.begin(), counts.notes.end(), each) == counts.notes.end())
                counts.notes.push_back(each);
    }

    pipeline_counts run() {
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
                start = last_flush = last_told = measure::now();
                ++ready;
                changed.notify_all();
            }
            multiply_all();
        });
        {
            std::unique_lock lock(mutex);
            stopping |= counts.stopped;
            changed.notify_all();
            changed.wait(lock, [&] { return ended == threads.size(); });
        }
        guarded([&] {
            if (o.who.is_gpu()) device::synchronize(main_stream());
            counts.seconds = measure::now() - start;
            if (o.progress && !first_error) tell();
        });
        {
            const std::lock_guard lock(mutex);
            over = true;
            changed.notify_all();
        }
        for (std::thread& each : threads) each.join();
        if (first_error) std::rethrow_exception(first_error);
        return counts;
    }

    pipeline_options o;
    const schedule& order;
    memory::buffer<std::byte> arena;
    std::optional<device::stream> stream;
    std::vector<device::event> steps_end;  ///< two; who waits leaves the cores to those who serve
    std::vector<device::event> column_end;
    std::unique_ptr<blas> products;
    std::set<tile_of_c> finished;

    std::mutex mutex;
    std::condition_variable changed;
    std::vector<load> pending;  ///< of the step that is being handed out
    gemm::step pending_of{};
    std::size_t taken = 0, next_step = 0;
    std::size_t products_done = 0;  ///< steps whose products are done, on a GPU enqueued
    std::size_t ready = 0;          ///< threads that have their engines; one more: begun
    std::array<arrivals, 2> arrived_;
    std::set<std::size_t> c_arrived;  ///< slots of C that hold what beta multiplies
    std::vector<bool> busy;           ///< slots of C that hold a tile not yet written
    std::vector<std::size_t> owner;   ///< its block
    std::deque<finished_columns> to_write;
    std::vector<tile_of_c> written, durable;
    double last_flush = 0, last_told = 0;
    std::size_t ended = 0, writers_ended = 0;  ///< threads
    bool stopping = false;
    bool over = false;  ///< threads may give their engines back
    std::exception_ptr first_error;
    pipeline_counts counts;
};

pipeline::pipeline(pipeline_options options)
    : parts_(std::make_unique<parts>(std::move(options))) {}

pipeline::~pipeline() = default;

pipeline_counts pipeline::run() { return parts_->run(); }

double pipeline::blas_rate() {
    parts& p = *parts_;
    if (!p.order.multiplies() || p.order.steps() == 0) return 0;
    const step at = p.order.step(0);
    const tiling& tiles = p.o.c.where.tiles;
    const std::size_t e = p.o.c.where.element;
    const std::size_t m = (at.rows - 1) * tiles.tile + tiles.rows_of(at.row + at.rows - 1);
    const std::size_t n = tiles.columns_of(at.column), k = p.o.a.where.tiles.columns_of(at.l);
    const auto once = [&] {
        p.products->multiply(
            m, n, k, 1, p.slot(p.order.slot_of_a(at, 0)), row_bytes_of(p.o.a.where, at.l) / e,
            p.slot(p.order.slot_of_b(at, 0)), row_bytes_of(p.o.b.where, at.column) / e, 0,
            p.slot(p.order.slot_of_c(0, 0)), row_bytes_of(p.o.c.where, at.column) / e);
    };
    const auto seconds_of = [&](std::size_t count) {
        const double start = measure::now();
        for (std::size_t i = 0; i < count; ++i) once();
        if (p.o.who.is_gpu()) device::synchronize(p.main_stream());
        return measure::now() - start;
    };
    seconds_of(1);
    const double single = seconds_of(1);
    const double all = p.order.steps() * static_cast<double>(p.order.block_columns());
    const auto count =
        static_cast<std::size_t>(std::clamp(rate_seconds / single, 1.0, std::max(4.0, all)));
    return static_cast<double>(count) * shape{m, n, k}.flops() / seconds_of(count);
}

}  // namespace watari::gemm
