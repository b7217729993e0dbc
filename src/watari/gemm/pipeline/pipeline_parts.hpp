/// State that the threads of a pipeline share, and the work of each kind of thread: reading
/// (pipeline_read.cpp), multiplying (pipeline_multiply.cpp), writing (pipeline_write.cpp).
#pragma once

#include "watari/core/device.hpp"
#include "watari/gemm/pipeline/pipeline.hpp"
#include "watari/gemm/pipeline/write_queue.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/stores/engine_team.hpp"
#include "watari/storage/stores/ordered_reads.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace watari::gemm {

/// Tiles (row, column) to (row, column + columns - 1) of a matrix.
struct tile_run {
    std::size_t row, column, columns;
};

struct pipeline::parts {
    explicit parts(pipeline_options given);

    // ---- locations

    stream_t main_stream() const { return stream ? stream->get() : nullptr; }
    std::byte* slot(std::size_t number) const { return arena.data() + number * o.slot_bytes; }
    const placement& where(matrix which) const {
        return which == matrix::a ? o.a.where : which == matrix::b ? o.b.where : o.c.where;
    }
    /// Address of tile r of the tiles that lie one below the other from a slot on.
    std::byte* below(std::size_t first_slot, matrix which, std::size_t tile_column,
                     std::size_t r) const;
    std::byte* location_of(const step& at, const load& tiles) const;
    /// Tiles of a load, numbered as in their store, which may hold the transpose.
    tile_run stored(const load& tiles) const;
    /// Sets the requests for tiles that lie `stride` bytes apart in memory.
    void locate(const stored_matrix& of, const tile_run& tiles, std::byte* memory,
                std::size_t stride, storage::block_list& into) const;
    /// Return tile (at.row + r, at.l) of A, and tile (at.l, at.column + c) of B. r must be 0 unless
    /// A is transposed: the tiles below follow in memory.
    blas::factor factor_a(const step& at, std::size_t r) const;
    blas::factor factor_b(const step& at, std::size_t c) const;

    /// Whether all tiles of a block's column were completed before this run.
    bool done_before(const step& at, std::size_t c) const;
    bool nothing_left(const step& at) const;
    bool left_out(const step& at, matrix which, std::size_t column) const;
    /// Returns the schedule's loads of a step, without tiles that are left out.
    std::vector<load> loads_of(const step& at) const;

    // ---- state that threads share, under `shared`'s lock

    /// Waits without the lock until the GPU has reached an event. If it has already, the lock is
    /// kept, so that no read begins between two tiles that are written in succession.
    void await_event(const std::vector<device::event>& events, std::size_t i,
                     std::unique_lock<std::mutex>& lock) const;

    /// Whether all tiles that earlier blocks left in a column of slots are written. All rows are
    /// checked: tiles lie one below the other, at offsets that depend on the width of the column.
    bool is_free(std::size_t c, std::size_t block) const;
    void occupy(std::size_t slot, std::size_t block);

    // ---- the list of reads (ordered_reads.hpp): the schedule's loads

    struct ticket {
        std::uint64_t number;  ///< position of the load in the schedule
        gemm::step at;
        load tiles;
    };

    /// Returns the next load in the schedule's order.
    std::optional<ticket> next_load();
    std::optional<ticket> take(std::unique_lock<std::mutex>& lock);
    void locate(const ticket& next, storage::block_list& into) const;
    void arrived(const ticket& next, std::size_t bytes);
    /// Waits until the slots of these tiles are free; occupies those of C.
    void await_slots(const step& at, const load& tiles, std::unique_lock<std::mutex>& lock);
    const stored_matrix& source_of(matrix which) const {
        return which == matrix::a ? o.a : which == matrix::b ? o.b : o.c_read;
    }
    /// Whether reads of a matrix and writes of C take turns: they use one disk, which is not faster
    /// with both at once. Written alone, tiles of C leave their slots earlier, and the products
    /// that wait for these slots run while the next tiles are read.
    bool takes_turns(const stored_matrix& from) const;

    // ---- the threads that write

    /// A thread that writes: its engines, and memory for the checksums of rows of tiles.
    struct writer {
        storage::store_engines& by;
        std::uint64_t* sums;
        storage::block_list blocks{};
    };

    void write_tiles(writer& by);
    void write_row(writer& by, const finished_columns& these, std::unique_lock<std::mutex>& lock);
    /// Starts the checksums of the rows of tiles; a GPU computes them while the tiles are written.
    void begin_checksums(const writer& by, const tile_run& tiles, std::size_t rows) const;
    std::uint64_t checksum(const writer& by, std::size_t tile, std::size_t rows) const;
    /// Makes the tiles that have been written so far durable.
    void flush(writer& by, std::unique_lock<std::mutex>& lock);
    /// Called by each writer at its end: the last one flushes.
    void flush_if_last(writer& by);

    // ---- the calling thread

    void multiply_all();
    /// Multiplies the columns of a step. `loads` are its loads, after `before` loads of earlier
    /// steps. Returns false if stopped.
    bool multiply_step(const gemm::step& at, const std::vector<load>& loads, std::uint64_t before);
    /// Waits until `loads` loads have arrived, and the column of C has its slots.
    void await_column(const gemm::step& at, std::size_t c, std::uint64_t loads);
    void multiply_column(const gemm::step& at, std::size_t c);
    /// Whether column c is the last of its group, or the last before a completed column.
    bool ends_group(const gemm::step& at, std::size_t c) const;
    /// Queues the last `columns` columns before column `end` for the writers.
    void hand_over(const gemm::step& at, std::size_t end, std::size_t columns);
    /// Whether to multiply column c, too. Reports progress if a report is due.
    bool goes_on(const gemm::step& at, std::size_t c);
    bool report_progress();

    // ---- the whole run

    void begin();
    storage::engine_use engines_for(files::direction direction) const;
    storage::engine_team make_readers();
    storage::engine_team make_writers();
    /// Runs the product. Engines are made before the clock starts and destroyed after it has
    /// stopped.
    pipeline_counts run();

    pipeline_options o;
    const gemm::schedule& schedule;
    memory::buffer<std::byte> arena;
    std::optional<device::stream> stream;
    /// Ends of the last steps, for as many steps as loads may be ahead. A waiting thread sleeps:
    /// controller threads need the cores.
    std::vector<device::event> steps_end;
    std::vector<device::event> column_end;
    std::unique_ptr<blas::products> products;
    std::set<tile_of_c> finished;
    std::vector<memory::buffer<std::uint64_t>> sums;  ///< by writer: checksums of rows of tiles

    storage::monitor shared;
    std::vector<load> pending;  ///< loads of the step that is being handed out
    gemm::step pending_of{};
    std::size_t taken = 0, next_step = 0;
    std::uint64_t loads_taken = 0;
    storage::arrivals loads;
    std::size_t products_done = 0;   ///< steps whose products are done, on a GPU enqueued
    double part_done = 0;            ///< fraction of all products; used by the calling thread alone
    bool begun = false;              ///< all threads have their engines
    std::vector<bool> busy;          ///< slots of C that hold a tile not yet written
    std::vector<std::size_t> owner;  ///< by slot of C: the block of its tile
    write_queue to_write;            ///< columns whose products are done, on a GPU enqueued
    std::size_t reading = 0;         ///< loads under way; for counts.both_directions alone
    std::size_t in_turn = 0;         ///< loads under way that take turns with writes
    std::size_t writing = 0;         ///< threads that write tiles of C, or wait for their turn
    completed_tiles written, durable;
    double last_flush = 0, last_report = 0;
    std::size_t writers_ended = 0;
    pipeline_counts counts;
};

}  // namespace watari::gemm
