/// What the threads of a pipeline share, and what each kind of them does: reads
/// (pipeline_read.cpp), multiplies (pipeline_multiply.cpp), writes (pipeline_write.cpp).
#pragma once

#include "watari/core/device.hpp"
#include "watari/gemm/pipeline/pipeline.hpp"
#include "watari/gemm/pipeline/write_queue.hpp"
#include "watari/memory/buffer.hpp"

#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

namespace watari::gemm {

struct pipeline::parts {
    explicit parts(pipeline_options given);

    // ---- where things are

    stream_t main_stream() const { return stream ? stream->get() : nullptr; }
    std::byte* slot(std::size_t number) const { return arena.data() + number * o.slot_bytes; }
    const placement& where(matrix which) const {
        return which == matrix::a ? o.a.where : which == matrix::b ? o.b.where : o.c.where;
    }
    /// Tile r of those that lie one below the other from a slot on.
    std::byte* below(std::size_t first_slot, matrix which, std::size_t tile_column,
                     std::size_t r) const;
    std::byte* location_of(const step& at, const load& tiles) const;
    /// As its store has them.
    tile_run stored(const load& tiles) const;
    /// Tile (at.row + r, at.l) of A, with r = 0 and those below it, and (at.l, at.column + c) of B.
    blas::factor factor_a(const step& at, std::size_t r) const;
    blas::factor factor_b(const step& at, std::size_t c) const;

    /// Whether all tiles of a block's column were done before.
    bool done_before(const step& at, std::size_t c) const;
    bool nothing_left(const step& at) const;
    bool left_out(const step& at, matrix which, std::size_t column) const;
    /// The schedule's, without tiles that are left out.
    std::vector<load> loads_of(const step& at) const;

    // ---- state that threads share, under `mutex`

    /// Until then, or a thread has failed.
    template <class Condition>
    void wait(std::unique_lock<std::mutex>& lock, Condition condition) {
        changed.wait(lock, [&] { return first_error || condition(); });
        if (first_error) throw stopped{};
    }
    /// The same of a thread that reads, which a stop ends, too.
    template <class Condition>
    void wait_to_read(std::unique_lock<std::mutex>& lock, Condition condition) {
        wait(lock, [&] { return counts.stopped || condition(); });
        if (counts.stopped) throw stopped{};
    }
    struct stopped {};

    /// Without the lock, until a GPU has come to an event. Where it is there already the lock is
    /// kept, so that no read slips in between two tiles that are written one after the other.
    void await_event(const std::vector<device::event>& events, std::size_t i,
                     std::unique_lock<std::mutex>& lock) const;

    template <class Work>
    void guarded(const Work& work) {
        try {
            work();
        } catch (const stopped&) {
        } catch (...) {
            fail(std::current_exception());
        }
    }

    void fail(std::exception_ptr thrown);
    /// Whether all tiles that earlier blocks left in a column of slots are written. All: tiles lie
    /// one below the other, elsewhere where another block's column is wider or narrower.
    bool is_free(std::size_t c, std::size_t block) const;
    void take(std::size_t slot, std::size_t block);

    /// Tiles of a step that have come.
    struct arrivals {
        std::size_t a = 0;
        std::set<std::size_t> b;
    };

    // ---- the threads that read

    struct ticket {
        gemm::step at;
        load tiles;
    };

    /// The next tile to read, in the schedule's order; none: all are taken.
    std::optional<ticket> next_load();
    void read_tiles(mover& by);
    void note_arrival(const step& at, const load& tile);
    /// Whether reads from there and writes of C are to be under way one after the other: they have
    /// one disk, which is not faster at both at once. Written alone, tiles of C leave their slots
    /// earlier, and the products that wait for these run while the next tiles are read.
    bool takes_turns(const stored_matrix& from) const;

    // ---- the threads that write

    void write_tiles(mover& by);
    void write_row(mover& by, const finished_columns& these, std::unique_lock<std::mutex>& lock);
    /// What has been written up to now becomes durable.
    void flush(mover& by, std::unique_lock<std::mutex>& lock);
    /// The last of those who write makes durable what all have written.
    void flush_if_last(mover& by);

    // ---- the calling thread

    void multiply_all();
    void await_column(const gemm::step& at, std::size_t c);
    /// Where columns are left out, tiles come all the same that later steps count on: they must
    /// have come before a later step's do.
    void await_rest(const gemm::step& at);
    void multiply_column(const gemm::step& at, std::size_t c);
    /// Whether column c is the last of its group, or the last before one that was done before.
    bool ends_group(const gemm::step& at, std::size_t c) const;
    /// To those who write: so many columns before column `end`.
    void hand_over(const gemm::step& at, std::size_t end, std::size_t columns);
    /// Whether to multiply column c, too. Tells how far it is where that is due.
    bool goes_on(const gemm::step& at, std::size_t c);
    /// Nothing more is read or multiplied.
    void stop();
    bool report_progress();

    // ---- all of it

    void begin();
    mover make_mover(files::direction direction) const;
    /// One thread that reads or writes. Its engine is made before the clock starts and given back
    /// after it has stopped.
    void serve(std::size_t i);
    pipeline_counts run();

    pipeline_options o;
    const gemm::schedule& schedule;
    memory::buffer<std::byte> arena;
    std::optional<device::stream> stream;
    /// Of as many steps as loads may be ahead. Who waits leaves the cores to those who serve.
    std::vector<device::event> steps_end;
    std::vector<device::event> column_end;
    std::unique_ptr<blas::products> products;
    std::set<tile_of_c> finished;
    storage::notes notes;  ///< of the run

    std::mutex mutex;
    std::condition_variable changed;
    std::vector<load> pending;  ///< of the step that is being handed out
    gemm::step pending_of{};
    std::size_t taken = 0, next_step = 0;
    std::size_t products_done = 0;            ///< steps whose products are done, on a GPU enqueued
    double part_done = 0;                     ///< of all products; the calling thread's
    std::size_t ready = 0;                    ///< threads that have their engines; one more: begun
    std::map<std::size_t, arrivals> arrived;  ///< by step, until its products are done
    std::set<std::size_t> c_arrived;          ///< slots of C that hold what beta multiplies
    std::vector<bool> busy;                   ///< slots of C that hold a tile not yet written
    std::vector<std::size_t> owner;           ///< its block
    write_queue to_write;                     ///< products done, on a GPU enqueued
    std::size_t reading = 0;                  ///< loads under way; for counts.both_directions alone
    std::size_t in_turn = 0;                  ///< of them those that take turns
    std::size_t writing = 0;  ///< threads that write tiles of C, or wait for their turn to
    completed_tiles written, durable;
    double last_flush = 0, last_report = 0;
    std::size_t ended = 0, writers_ended = 0;  ///< threads
    bool over = false;                         ///< threads may give their engines back
    std::exception_ptr first_error;
    pipeline_counts counts;
};

}  // namespace watari::gemm
