/// The product, tile by tile: some threads bring tiles into slots of fast memory, the calling
/// thread multiplies, others write the tiles of C that are done; all at once, but for reads and
/// writes of one disk.
///
/// The order is the schedule's. What waits for what (schedule.hpp states the rule):
///
///     tile of A or B                until the products that needed what was in its slot are done
///     tile of C into its slot       until the tile that was there is written
///     products of step s, column c  until the loads up to the last that they need have come: A's
///                                   tiles of the step, B's tile of column c
///     writing a tile of C           until the products of the last step are done, of its column
///                                   and of those of its group; with it go the groups beside it
///                                   whose products are done when its turn comes
///     reading from the disk of C    until no writer writes, or waits for its turn to
///     writing to such a disk        until the reads from it that are under way have ended
///
/// The tiles of one step's column of C lie one below the other, as A's tiles of the step do: one
/// call multiplies a whole column of tiles. Each group of columns is written when it is done;
/// columns that were done before (a run that goes on) are left out, and the rest of their group is
/// as many groups as they leave.
///
/// No thread waits in a circle: loads wait for writes and products of earlier steps, products for
/// loads of their own step or before, writes for products, each in the one order of steps. Where a
/// disk is read and written in turn (open_store::disk), loads wait for writes whose products are
/// done, which wait for loads that are under way, which wait for nobody.
///
/// When it is stopped, it multiplies and reads no more, but writes what is done: columns whose
/// products are, of groups that are not whole too. Those who write wait for reads that are under
/// way alone.
///
/// Tiles are read as H-matrices are (storage/stores/ordered_reads.hpp): the loads of the schedule
/// are a known list, carried out in its order ahead of the products. The list says which slots are
/// free, and waits for its turn at a disk that is written, too.
#pragma once

#include "watari/blas/blas.hpp"
#include "watari/gemm/schedule/placement.hpp"
#include "watari/gemm/schedule/schedule.hpp"
#include "watari/storage/stores/open_store.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace watari::gemm {

/// A matrix: where it lies in which store.
struct stored_matrix {
    const storage::open_store* source = nullptr;
    placement where;
    std::size_t tiles_per_request = 1;  ///< neighbouring tiles of a request, at most
};

/// Tile (row, column) of C.
using tile_of_c = std::pair<std::size_t, std::size_t>;

/// Tiles of C that are durable, each with its checksum (rows.hpp) when it was written. None: a run
/// of an earlier version wrote it.
using completed_tiles = std::map<tile_of_c, std::optional<std::uint64_t>>;

struct pipeline_options {
    const gemm::schedule* schedule;
    stored_matrix a, b;
    stored_matrix c_read;  ///< what beta multiplies; not read where beta is 0
    stored_matrix c;       ///< written
    double alpha, beta;
    precision type;
    processor who;
    int threads;             ///< of the CPU's BLAS
    std::size_t movers;      ///< threads that read, and as many that write
    std::size_t depth;       ///< requests in flight of each, where its engine has several
    std::size_t slot_bytes;  ///< of a tile in fast memory
    std::vector<tile_of_c> finished{};  ///< not computed again

    /// Every `interval` or so, by the calling thread before it multiplies a column of tiles, and at
    /// the end: tiles that became durable since the last call, and the part of all products that is
    /// done. False: stop; at the end, where no product is left, there is nothing to stop. Without
    /// it no checksums are made.
    std::function<bool(completed_tiles, double)> progress{};
    double interval = 1;  ///< seconds; what is written becomes durable as often
};

/// Bytes and seconds of one run.
struct pipeline_counts {
    std::uint64_t read = 0, written = 0;
    double seconds = 0;
    double waited = 0;  ///< of them, the products for tiles
    /// Moves that began while some went, or waited to go, in the other direction.
    std::size_t both_directions = 0;
    bool stopped = false;  ///< before all products were done
    std::string blas;
    std::vector<std::string> notes;
};

/// Fast memory, threads and engines, for one product or several of the same matrices.
class pipeline {
public:
    /// Throws unsupported, beyond_memory, usage_error.
    explicit pipeline(pipeline_options options);
    ~pipeline();
    pipeline(const pipeline&) = delete;
    pipeline& operator=(const pipeline&) = delete;

    /// Computes C, durable when it returns. Throws what a thread threw, once all have ended.
    pipeline_counts run();

    /// Flops per second of this BLAS with the shapes of the schedule's steps, data in fast memory.
    double blas_rate();

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

}  // namespace watari::gemm
