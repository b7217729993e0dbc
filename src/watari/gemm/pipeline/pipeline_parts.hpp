/// What the threads of a pipeline share, and what each kind of them does: reads
/// (pipeline_read.cpp), multiplies (pipeline_multiply.cpp), writes (pipeline_write.cpp).
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
    /// The requests for tiles that lie `stride` bytes apart in memory.
    void locate(const stored_matrix& of, const tile_run& tiles, std::byte* memory,
                std::size_t stride, storage::block_list& into) const;
    /// Tile (at.row + r, at.l) of A, with r = 0 and those below it, and (at.l, at.column + c) of B.
    blas::factor factor_a(const step& at, std::size_t r) const;
    blas::factor factor_b(const step& at, std::size_t c) const;

    /// Whether all tiles of a block's column were done before.
    bool done_before(const step& at, std::size_t c) const;
    bool nothing_left(const step& at) const;
    bool left_out(const step& at, matrix which, std::size_t column) const;
    /// The schedule's, without tiles that are left out.
    std::vector<load> loads_of(const step& at) const;

    // ---- state that threads share, under `shared`'s lock

    /// Without the lock, until a GPU has come to an event. Where it is there already the lock is
    /// kept, so that no read slips in between two tiles that are written one after the other.
    void await_event(const std::vector<device::event>& events, std::size_t i,
                     std::unique_lock<std::mutex>& lock) const;

    /// Whether all tiles that earlier blocks left in a column of slots are written. All: tiles lie
    /// one below the other, elsewhere where another block's column is wider or narrower.
    bool is_free(std::size_t c, std::size_t block) const;
    void occupy(std::size_t slot, std::size_t block);

    // ---- the list of reads (ordered_reads.hpp): the schedule's loads

    struct ticket {
        std::uint64_t number;  ///< of the load, in the order of the schedule
        gemm::step at;
        load tiles;
    };

    /// The next one in the schedule's order.
    std::optional<ticket> next_load();
    std::optional<ticket> take(std::unique_lock<std::mutex>& lock);
    void locate(const ticket& next, storage::block_list& into) const;
    void arrived(const ticket& next, std::size_t bytes);
    /// Until the slots of these tiles are free.
    void await_slots(const step& at, const load& tiles, std::unique_lock<std::mutex>& lock);
    const stored_matrix& source_of(matrix which) const {
        return which == matrix::a ? o.a : which == matrix::b ? o.b : o.c_read;
    }
    /// Whether reads from there and writes of C are to be under way one after the other: they have
    /// one disk, which is not faster at both at once. Written alone, tiles of C leave their slots
    /// earlier, and the products that wait for these run while the next tiles are read.
    bool takes_turns(const stored_matrix& from) const;

    // ---- the threads that write

    /// One of them: its engine, and room for checksums of rows of tiles.
    struct writer {
        storage::store_engines& by;
        std::uint64_t* sums;
        storage::block_list blocks{};
    };

    void write_tiles(writer& by);
    void write_row(writer& by, const finished_columns& these, std::unique_lock<std::mutex>& lock);
    /// Starts to sum up the rows of tiles; a GPU does so while they are written.
    void begin_checksums(const writer& by, const tile_run& tiles, std::size_t rows) const;
    std::uint64_t checksum(const writer& by, std::size_t tile, std::size_t rows) const;
    /// What has been written up to now becomes durable.
    void flush(writer& by, std::unique_lock<std::mutex>& lock);
    /// The last of those who write makes durable what all have written.
    void flush_if_last(writer& by);

    // ---- the calling thread

    void multiply_all();
    /// The columns of a step; `loads` of its tiles are expected behind the `before` earlier ones.
    /// False: stopped.
    bool multiply_step(const gemm::step& at, const std::vector<load>& loads, std::uint64_t before);
    /// Until so many loads have come, and the column of C has its slots.
    void await_column(const gemm::step& at, std::size_t c, std::uint64_t loads);
    void multiply_column(const gemm::step& at, std::size_t c);
    /// Whether column c is the last of its group, or the last before one that was done before.
    bool ends_group(const gemm::step& at, std::size_t c) const;
    /// To those who write: so many columns before column `end`.
    void hand_over(const gemm::step& at, std::size_t end, std::size_t columns);
    /// Whether to multiply column c, too. Reports progress where that is due.
    bool goes_on(const gemm::step& at, std::size_t c);
    bool report_progress();

    // ---- all of it

    void begin();
    storage::engine_use engines_for(files::direction direction) const;
    storage::engine_team make_readers();
    storage::engine_team make_writers();
    /// Engines are made before the clock starts and given back after it has stopped.
    pipeline_counts run();

    pipeline_options o;
    const gemm::schedule& schedule;
    memory::buffer<std::byte> arena;
    std::optional<device::stream> stream;
    /// One for each step that loads may be ahead. A waiting thread sleeps: servers need the cores.
    std::vector<device::event> steps_end;
    std::vector<device::event> column_end;
    std::unique_ptr<blas::products> products;
    std::set<tile_of_c> finished;
    std::vector<memory::buffer<std::uint64_t>> sums;  ///< by writer: of rows of tiles

    storage::monitor shared;
    std::vector<load> pending;  ///< of the step that is being handed out
    gemm::step pending_of{};
    std::size_t taken = 0, next_step = 0;
    std::uint64_t loads_taken = 0;
    storage::arrivals loads;
    std::size_t products_done = 0;   ///< steps whose products are done, on a GPU enqueued
    double part_done = 0;            ///< of all products; the calling thread's
    bool begun = false;              ///< all have their engines
    std::vector<bool> busy;          ///< slots of C that hold a tile not yet written
    std::vector<std::size_t> owner;  ///< its block
    write_queue to_write;            ///< products done, on a GPU enqueued
    std::size_t reading = 0;         ///< loads under way; for counts.both_directions alone
    std::size_t in_turn = 0;         ///< of them those that take turns
    std::size_t writing = 0;         ///< threads that write tiles of C, or wait for their turn to
    completed_tiles written, durable;
    double last_flush = 0, last_report = 0;
    std::size_t writers_ended = 0;
    pipeline_counts counts;
};

}  // namespace watari::gemm
