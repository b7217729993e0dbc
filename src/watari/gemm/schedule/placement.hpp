/// Where a matrix lies in its store, and which requests bring its tiles.
///
/// A tile is a list of equal blocks, one a row (row-major) or runs of whole rows (tiled); block i
/// comes to memory + i x block, so that the rows of a tile lie `block` bytes (row-major) or a whole
/// tile row (tiled) apart. Row-major, a block may be of the rows of several neighbouring tiles.
/// Blocks begin and end at multiples of `unit` bytes of the store: what a block holds before the
/// tile's first element is its skip.
#pragma once

#include "watari/gemm/schedule/shape.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace watari::storage {
struct block_list;
}

namespace watari::gemm {

enum class layout { row_major, tiled };

/// The largest block of a request: a store that is read through queues has memory for each.
inline constexpr std::size_t most_block = std::size_t{1} << 17;

/// Bytes to which the program's own stores align rows: pages where tiles are whole pages.
std::size_t row_unit(std::size_t tile, std::size_t element);

/// Bytes of a request for a part of a stored tile: `most`, a power of two, or less, so that the
/// tile is a whole number of them.
std::size_t stored_block(std::size_t tile_bytes, std::size_t most);

struct placement {
    tiling tiles{};
    std::size_t element = 4;  ///< bytes
    gemm::layout layout = layout::row_major;
    std::uint64_t first = 0;        ///< bytes before element (0, 0)
    std::uint64_t row_bytes = 0;    ///< row-major: from one row to the next
    std::size_t unit = 512;         ///< what offsets and sizes of requests are multiples of
    std::size_t most = most_block;  ///< bytes of a request of the tiled layout
    /// The store holds the transpose: tile (i, j) of the product's matrix is tile (j, i) here, and
    /// each comes by requests of its own.
    bool transposed = false;

    /// The program's own: rows, or whole tiles, one behind the other, aligned. Throws usage_error
    /// for a tile whose rows are not whole sectors of 512 bytes or beyond most_block.
    static placement packed(const tiling& tiles, std::size_t element, gemm::layout layout,
                            std::size_t most = most_block);
    /// In a file of someone else's, rows without gaps. `unit` 1: of any bytes.
    static placement rows_at(const tiling& tiles, std::size_t element, std::uint64_t first,
                             std::size_t unit);

    std::uint64_t bytes() const;  ///< of the store, from its beginning to the last element
    /// Of the store, tile (i, j) of the tiled layout.
    std::uint64_t tile_at(std::size_t i, std::size_t j) const;
    /// How much is read to read each tile once, by requests for such runs of neighbours, which are
    /// single tiles where the store holds the transpose.
    std::uint64_t request_bytes(const std::vector<run_of_tiles>& runs) const;
    std::size_t tile_bytes() const;  ///< that hold any tile with its blocks
    /// Of a request for so many tiles.
    std::size_t largest_block(std::size_t count = 1) const;
    std::size_t most_requests() const;  ///< of a tile
    /// The requests of tiles (i, j) to (i, j + count - 1), as wide as one another, and the rows
    /// that they bring. The store, and where they come to, are the caller's.
    void locate(std::size_t i, std::size_t j, std::size_t count, storage::block_list& into) const;
};

/// Neighbouring tiles of a tile row whose rows fit a request of `bytes`. 1 where edges of tiles are
/// not whole units apart, or tiles are stored apart.
std::size_t tiles_in_request(const placement& where, std::size_t bytes);

/// Bytes of the unit that the rows of two neighbouring tiles share, and each tile has in fast
/// memory; 0 where they begin with units of their own.
std::size_t shared_bytes(const placement& where);

/// Bytes of a slot that holds a tile of any of these matrices; whole pages.
std::size_t slot_bytes(std::initializer_list<placement> matrices);

/// In memory, from one row of tile column j to the next.
std::size_t row_bytes_of(const placement& where, std::size_t j);

/// Bytes in memory before the first element of every tile of tile column j, once rows that begin
/// anywhere have been moved to where they should.
std::size_t skip_of(const placement& where, std::size_t j);

}  // namespace watari::gemm
