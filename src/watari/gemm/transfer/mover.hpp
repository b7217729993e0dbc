/// One thread's path of tiles to fast memory, or from there: an engine for
/// each source, and rows put where a BLAS wants them.
#pragma once

#include "watari/gemm/schedule/placement.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/engines/notes.hpp"
#include "watari/storage/stores/open_store.hpp"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace watari::gemm {

/// A matrix: where it lies in which source.
struct stored_matrix {
    const storage::open_store* source = nullptr;
    placement where;
    std::size_t tiles_per_request = 1;  ///< neighbouring tiles of a request, at most
};

/// Tiles (row, column) to (row, column + columns - 1) of a matrix.
struct tile_run {
    std::size_t row, column, columns;
};

class mover {
public:
    /// `depth` requests in flight where an engine has several; all tiles lie in `memory`.
    mover(processor who, files::direction direction, std::size_t depth,
          std::span<std::byte> memory);

    /// Makes the engines of these, so that no first tile waits for that; those without a source are
    /// not moved.
    void prepare(std::initializer_list<stored_matrix> matrices);

    /// Moves tiles of a matrix that was prepared, which lie `stride` bytes apart in memory; returns
    /// the bytes. Throws.
    std::size_t move(const stored_matrix& m, const tile_run& tiles, std::byte* memory,
                     std::size_t stride);

    /// The same of tiles that are written, with the checksum of each; a GPU makes them meanwhile.
    std::size_t move_with_checksums(const stored_matrix& m, const tile_run& tiles,
                                    std::byte* memory, std::size_t stride,
                                    std::vector<std::uint64_t>& checksums);

    /// What was written to a matrix is durable.
    void flush(const stored_matrix& m);

    /// What its engines have to say.
    void add_notes(storage::notes& to) const;

private:
    void realign(const placement& where, const tile_run& tiles, std::byte* memory,
                 std::size_t stride);

    processor who_;
    files::direction direction_;
    std::size_t depth_;
    std::span<std::byte> memory_;
    std::optional<device::stream> stream_;
    struct opened_engine {
        std::unique_ptr<storage::engine> engine;
        std::size_t block;  ///< of its requests, at most
    };
    std::map<const storage::open_store*, opened_engine> engines_;
    tile_requests list_;
    std::optional<memory::buffer<std::uint64_t>> sums_;  ///< of rows of tiles that are written
};

}  // namespace watari::gemm
