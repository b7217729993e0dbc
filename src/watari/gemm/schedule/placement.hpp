/// Position of a matrix in its store, and the requests that move its tiles.
///
/// A tile is a list of equal blocks: one per row (row-major), or runs of whole rows (tiled). Block
/// i lies at memory + i x block, so that the rows of a tile lie `block` bytes (row-major) or a
/// whole tile row (tiled) apart. A row-major block may cover a row of several neighbouring tiles.
/// Blocks begin and end at multiples of `unit` bytes of the store. The skip of a block is its bytes
/// before the tile's first element.
#pragma once

#include "watari/gemm/schedule/shape.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

namespace watari::storage {
struct block_list;
}

namespace watari::gemm {

enum class layout { row_major, tiled };

/// Bytes of the largest request: a store behind queues has memory for each request.
inline constexpr std::size_t most_block = std::size_t{1} << 17;

/// Bytes to which the program's own stores align rows: a page if a tile's rows are whole pages,
/// else a sector.
std::size_t row_unit(std::size_t tile, std::size_t element);

/// Bytes of a request for a part of a stored tile: `most`, a power of two, halved until the tile is
/// a whole number of requests.
std::size_t stored_block(std::size_t tile_bytes, std::size_t most);

/// What comes from a store.
struct traffic {
    std::uint64_t bytes = 0, requests = 0;

    traffic operator*(std::uint64_t times) const { return {times * bytes, times * requests}; }
    traffic& operator+=(const traffic& more) {
        bytes += more.bytes;
        requests += more.requests;
        return *this;
    }
};

struct placement {
    tiling tiles{};
    std::size_t element = 4;  ///< bytes
    gemm::layout layout = layout::row_major;
    std::uint64_t first = 0;          ///< bytes before element (0, 0)
    std::uint64_t row_bytes = 0;      ///< from one row to the next; tiled: within a tile
    std::size_t unit = 512;           ///< divides the offsets and sizes of requests
    std::size_t most = most_block;    ///< bytes of a request of the tiled layout, at most
    std::optional<half_type> half{};  ///< elements of the store have 2 bytes; those in memory 4
    /// The store is a grid of equal files of this many elements, row by row in one namespace
    /// (files::file_room). A tile lies in one of them. 0: one file.
    std::size_t chunk_rows = 0, chunk_columns = 0;
    /// Of objects: rows of a tile are requests of up to so many bytes, with up to `gap` bytes
    /// between two rows (objects/plan.hpp); 0: a request for each row.
    std::size_t merged = 0, gap = 0;
    /// The store holds the transpose: tile (i, j) of the product's matrix is tile (j, i) here. A
    /// request covers one tile.
    bool transposed = false;

    /// Placement in the program's own stores: aligned rows, or whole tiles, one behind the other.
    /// Throws usage_error for a tile whose rows are not whole sectors of 512 bytes or exceed
    /// most_block.
    static placement packed(const tiling& tiles, std::size_t element, gemm::layout layout,
                            std::size_t most = most_block);
    /// Placement in a user's file: rows without gaps. `unit` 1: requests of any bytes.
    static placement rows_at(const tiling& tiles, std::size_t element, std::uint64_t first,
                             std::size_t unit);

    std::size_t stored_element() const { return half ? half_bytes : element; }  ///< bytes
    std::uint64_t bytes() const;  ///< from the store's beginning to the last element
    /// Byte of the store at which tile (i, j) of the tiled layout begins.
    std::uint64_t tile_at(std::size_t i, std::size_t j) const;
    /// Bytes of the requests that read each tile once, by these runs of neighbours; by single tiles
    /// if the store holds the transpose.
    std::uint64_t request_bytes(const std::vector<run_of_tiles>& runs) const;
    /// The requests that read each tile once, row-major, and their bytes: those of request_bytes
    /// and what lies between merged rows. There is a tile.
    traffic traffic_of(const std::vector<run_of_tiles>& runs) const;
    std::size_t tile_bytes() const;  ///< bytes in memory of the largest tile with its blocks
    /// Bytes of the largest tile as it is read, if its elements then become floats; else 0.
    std::size_t landing_bytes() const;
    /// Bytes of the largest request for `count` tiles.
    std::size_t largest_block(std::size_t count = 1) const;
    std::size_t most_requests() const;  ///< requests for a tile, at most
    /// Sets the requests for tiles (i, j) to (i, j + count - 1) and their rows. Tiles are equally
    /// wide; in objects the last one may be narrower, the tail of each block. The caller sets the
    /// store and the locations in memory.
    void locate(std::size_t i, std::size_t j, std::size_t count, storage::block_list& into) const;
};

/// Number of neighbouring tiles of a tile row whose rows fit a request of `bytes`. 1 if a tile's
/// rows are not whole units, or tiles are stored apart.
std::size_t tiles_in_request(const placement& where, std::size_t bytes);

/// Bytes of the unit that the rows of two neighbouring tiles share; each tile has its own copy in
/// fast memory. 0 if the rows begin at multiples of the unit.
std::size_t shared_bytes(const placement& where);

/// Bytes of a slot that holds a tile of any of these matrices; whole pages.
std::size_t slot_bytes(std::initializer_list<placement> matrices);

/// Bytes of each reader's memory for tiles of these matrices that become floats; whole pages.
std::size_t landing_bytes(std::initializer_list<placement> matrices);

/// Bytes of the request for a row of one tile of tile column j: from row to row as it is read.
std::size_t read_row_bytes(const placement& where, std::size_t j);

/// Bytes in memory from one row of tile column j to the next.
std::size_t row_bytes_of(const placement& where, std::size_t j);

/// Bytes in memory before the first element of every tile of tile column j, after its rows have
/// been realigned (memory/rows/realign.hpp).
std::size_t skip_of(const placement& where, std::size_t j);

}  // namespace watari::gemm
