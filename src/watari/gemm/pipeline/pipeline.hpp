/// The product, tile by tile: some threads load tiles into slots of fast memory, the calling thread
/// multiplies, others write completed tiles of C. All work at once, but reads and writes of one
/// disk take turns.
///
/// The schedule determines the order. Each operation waits (schedule.hpp states the rule):
///
///     load of a tile of A or B      until the products that read the earlier tile of its slot are
///                                   done
///     load of a tile of C           until the earlier tile of its slot is written
///     products of step s, column c  until the loads up to the last that they need have arrived:
///                                   A's tiles of the step, B's tile of column c
///     write of a tile of C          until the products of the last step are done for all columns
///                                   of its group; neighbouring groups whose products are done when
///                                   its turn comes are written with it
///     read from the disk of C       until no writer writes or waits for its turn
///     write to such a disk          until the reads from it that are under way have ended
///
/// The tiles of one step's column of C lie one below the other, as A's tiles of the step do: one
/// call multiplies a whole column of tiles. Each group of columns is written when it is done.
/// Columns that an earlier run completed are left out; they split their group into smaller ones.
///
/// There is no deadlock: loads wait for writes and products of earlier steps, products for loads of
/// their own step or before, writes for products, each in the one order of steps. If a disk is read
/// and written in turn (open_store::disk), loads wait for writes whose products are done. These
/// writes wait for loads that are under way, which wait for nothing.
///
/// A stopped pipeline multiplies and reads no more, but writes the columns whose products are done,
/// also those of an incomplete group. Its writers wait only for reads that are under way.
///
/// Tiles are read as H-matrices are (storage/stores/ordered_reads.hpp): the loads of the schedule
/// are a known list, executed in its order ahead of the products. The list waits until slots are
/// free, and for its turn at a disk that is also written.
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

/// A matrix: its store, and its placement there.
struct stored_matrix {
    const storage::open_store* source = nullptr;
    placement where;
    std::size_t tiles_per_request = 1;  ///< neighbouring tiles in a request, at most
};

/// Tile (row, column) of C.
using tile_of_c = std::pair<std::size_t, std::size_t>;

/// Tiles of C that are durable, each with the checksum (rows.hpp) of what was written. No checksum:
/// an earlier version of the program wrote the tile.
using completed_tiles = std::map<tile_of_c, std::optional<std::uint64_t>>;

struct pipeline_options {
    const gemm::schedule* schedule;
    stored_matrix a, b;
    stored_matrix c_read;  ///< old C, which beta multiplies; not read if beta is 0
    stored_matrix c;       ///< written
    double alpha, beta;
    precision type;
    processor who;
    int threads;             ///< threads of the CPU's BLAS
    std::size_t movers;      ///< threads that read, and as many that write
    std::size_t depth;       ///< requests in flight of each mover, if its engine allows several
    std::size_t slot_bytes;  ///< bytes of a tile in fast memory
    std::vector<tile_of_c> finished{};  ///< tiles that are not computed again

    /// Called by the calling thread about every `interval`, before it multiplies a column of tiles,
    /// and at the end. Arguments: the tiles that became durable since the last call, and the
    /// fraction of all products that is done. The result false stops the run; at the end it has no
    /// effect. Without `progress` no checksums are made.
    std::function<bool(completed_tiles, double)> progress{};
    double interval = 1;  ///< seconds between calls of progress, and between flushes
};

/// Bytes and seconds of one run.
struct pipeline_counts {
    std::uint64_t read = 0, written = 0;
    std::uint64_t received = 0;  ///< those read, and of objects what lies between them
    double seconds = 0;
    double waited = 0;  ///< seconds that the products waited for tiles
    /// Loads that began while a thread wrote or waited for its turn to write, and writes that began
    /// while a load was under way.
    std::size_t both_directions = 0;
    bool stopped = false;  ///< stopped before all products were done
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

    /// Computes C, which is durable on return. Rethrows the first exception of a thread, after all
    /// threads have ended.
    pipeline_counts run();

    /// Flops per second of this BLAS with the shape of the schedule's first column of tiles, data
    /// in fast memory.
    double blas_rate();

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

}  // namespace watari::gemm
