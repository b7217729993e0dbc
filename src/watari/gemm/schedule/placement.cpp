#include "watari/gemm/schedule/placement.hpp"

#include "watari/core/error.hpp"
#include "watari/files/striped_files.hpp"
#include "watari/objects/plan.hpp"
#include "watari/storage/stores/store_engines.hpp"
#include "watari/storage/verify/sector.hpp"

#include <algorithm>
#include <climits>
#include <string>

namespace watari::gemm {

namespace {

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

/// Bytes of a block of the tiled layout.
std::size_t tiled_block(const placement& where) {
    return stored_block(where.tiles.tile * where.row_bytes, where.most);
}

/// Bytes of the store before the first element of tile (i, j), row-major.
std::uint64_t corner(const placement& where, std::size_t i, std::size_t j) {
    std::size_t row = i * where.tiles.tile, column = j * where.tiles.tile;
    std::uint64_t begin = where.first;
    if (where.chunk_rows > 0) {
        const std::size_t across = divide_up(where.tiles.columns, where.chunk_columns);
        begin +=
            (row / where.chunk_rows * across + column / where.chunk_columns) * files::file_room;
        row %= where.chunk_rows;
        column %= where.chunk_columns;
    }
    return begin + row * where.row_bytes + column * where.stored_element();
}

/// Bytes of the widest row of a tile, by one of the two functions for it.
std::size_t widest(const placement& where,
                   std::size_t (*row_bytes)(const placement& where, std::size_t j)) {
    std::size_t most = row_bytes(where, 0);
    for (std::size_t j = 1; j < where.tiles.tile_columns(); ++j)
        most = std::max(most, row_bytes(where, j));
    return most;
}

/// Bytes of a request for a row of `count` tiles from column j on, the last of which may be
/// narrower.
std::size_t block_of(const placement& where, std::size_t j, std::size_t count) {
    return (count - 1) * (read_row_bytes(where, j) - shared_bytes(where)) +
           read_row_bytes(where, j + count - 1);
}

}  // namespace

std::size_t row_unit(std::size_t tile, std::size_t element) {
    constexpr std::size_t page = 4096;
    return tile * element % page == 0 ? page : storage::sector_bytes;
}

std::size_t stored_block(std::size_t tile_bytes, std::size_t most) {
    std::size_t block = most;
    while (tile_bytes % block != 0) block /= 2;
    return block;
}

placement placement::packed(const tiling& tiles, std::size_t element, gemm::layout layout,
                            std::size_t most) {
    const std::size_t edge = tiles.tile * element;
    if (edge == 0 || edge % storage::sector_bytes != 0 || edge > most_block)
        throw usage_error("tile=" + std::to_string(tiles.tile) +
                          ": a row of a tile must be whole sectors of 512 bytes, at most 128 KiB");
    placement result{.tiles = tiles, .element = element, .layout = layout, .most = most};
    result.unit = row_unit(tiles.tile, element);
    result.row_bytes =
        layout == gemm::layout::tiled ? edge : round_up(tiles.columns * element, result.unit);
    return result;
}

placement placement::rows_at(const tiling& tiles, std::size_t element, std::uint64_t first,
                             std::size_t unit) {
    return {.tiles = tiles,
            .element = element,
            .first = first,
            .row_bytes = tiles.columns * element,
            .unit = unit};
}

std::uint64_t placement::tile_at(std::size_t i, std::size_t j) const {
    return first + (i * tiles.tile_columns() + j) * tiles.tile * row_bytes;
}

std::uint64_t placement::bytes() const {
    return layout == gemm::layout::tiled ? first + tiles.tiles() * tiles.tile * row_bytes
                                         : first + tiles.rows * row_bytes;
}

std::uint64_t placement::request_bytes(const std::vector<run_of_tiles>& runs) const {
    std::uint64_t total = 0;
    if (layout == gemm::layout::row_major) {
        for (std::size_t j = 0; transposed && j < tiles.tile_columns(); ++j)
            total += tiles.rows * block_of(*this, j, 1);
        if (transposed) return total;
        for (const auto& [first_tile, count] : runs)
            total += tiles.rows * block_of(*this, first_tile, count);
        return total;
    }
    for (std::size_t i = 0; i < tiles.tile_rows(); ++i)
        total += tiles.tile_columns() * round_up(tiles.rows_of(i) * row_bytes, tiled_block(*this));
    return total;
}

/// Rows of `block` bytes, `row_bytes` apart, that one request brings: as engine s3 merges them.
static std::size_t rows_together(const placement& where, std::size_t block) {
    const std::uint64_t room = where.merged - std::min(where.merged, block);
    if (room < block || !objects::continues(block, room, where.row_bytes, block, where.gap))
        return 1;
    return 1 + room / where.row_bytes;
}

traffic placement::traffic_of(const std::vector<run_of_tiles>& runs) const {
    traffic all;
    const std::size_t last = tiles.tile_rows() - 1;  // the only tile row that may be lower
    const auto add = [&](std::size_t first_tile, std::size_t count) {
        const std::size_t block = block_of(*this, first_tile, count);
        const std::size_t together = rows_together(*this, block);
        const auto of_rows = [&](std::size_t rows) -> traffic {
            const std::size_t requests = divide_up(rows, together);
            return {rows * row_bytes - requests * (row_bytes - block), requests};
        };
        all += of_rows(tiles.rows_of(0)) * last;
        all += of_rows(tiles.rows_of(last));
    };
    for (std::size_t j = 0; transposed && j < tiles.tile_columns(); ++j) add(j, 1);
    for (const auto& [first_tile, count] : runs)
        if (!transposed) add(first_tile, count);
    return all;
}

std::size_t placement::tile_bytes() const { return tiles.tile * widest(*this, row_bytes_of); }

std::size_t placement::landing_bytes() const {
    return half ? tiles.tile * widest(*this, read_row_bytes) : 0;
}

std::size_t placement::largest_block(std::size_t count) const {
    if (layout == gemm::layout::tiled) return tiled_block(*this);
    return count * widest(*this, read_row_bytes) - (count - 1) * shared_bytes(*this);
}

std::size_t placement::most_requests() const {
    return layout == gemm::layout::tiled ? tiles.tile * row_bytes / tiled_block(*this) : tiles.tile;
}

std::size_t slot_bytes(std::initializer_list<placement> matrices) {
    std::size_t most = 1;
    for (const placement& each : matrices) most = std::max(most, each.tile_bytes());
    return round_up(most, 4096);
}

std::size_t row_bytes_of(const placement& where, std::size_t j) {
    if (!where.half) return read_row_bytes(where, j);
    return where.element * (j < where.tiles.tile_columns() ? where.tiles.columns_of(j) : 0);
}

std::size_t landing_bytes(std::initializer_list<placement> matrices) {
    std::size_t most = 0;
    for (const placement& each : matrices) most = std::max(most, each.landing_bytes());
    return round_up(most, 4096);
}

std::size_t read_row_bytes(const placement& where, std::size_t j) {
    if (where.layout == layout::tiled) return where.row_bytes;
    const std::size_t width =
        (j < where.tiles.tile_columns() ? where.tiles.columns_of(j) : 0) * where.stored_element();
    if (where.row_bytes % where.unit == 0)
        return round_up(corner(where, 0, j) % where.unit + width, where.unit);
    return round_up(width + where.unit - where.stored_element(), where.unit);
}

std::size_t skip_of(const placement& where, std::size_t j) {
    if (where.half) return 0;
    const bool equal = where.layout == layout::row_major && where.row_bytes % where.unit == 0;
    return equal ? corner(where, 0, j) % where.unit : 0;
}

std::size_t tiles_in_request(const placement& where, std::size_t bytes) {
    const std::size_t edge = where.tiles.tile * where.element;
    // tiles beside one another in one object follow one another in its rows
    const bool apart =
        where.chunk_rows > 0 && (where.merged == 0 || where.chunk_columns < where.tiles.columns);
    const bool one_by_one =
        where.layout == layout::tiled || where.transposed || where.half || apart;
    if (one_by_one || edge % where.unit != 0) return 1;
    const std::size_t shared = std::min(shared_bytes(where), bytes);
    return std::clamp<std::size_t>((bytes - shared) / edge, 1, IOV_MAX);
}

std::size_t shared_bytes(const placement& where) {
    const bool apart = where.first % where.unit == 0 && where.row_bytes % where.unit == 0;
    return where.layout == layout::tiled || apart ? 0 : where.unit;
}

void placement::locate(std::size_t i, std::size_t j, std::size_t count,
                       storage::block_list& into) const {
    const std::size_t last = j + count - 1;
    const bool narrow = count > 1 && tiles.columns_of(last) < tiles.columns_of(j);
    into.parts = count - narrow;
    into.tail = narrow ? tiles.columns_of(last) * stored_element() : 0;
    into.overlap = layout == gemm::layout::row_major && count > 1 ? shared_bytes(*this) : 0;
    into.rows = {.count = tiles.rows_of(i),
                 .bytes = tiles.columns_of(j) * stored_element(),
                 .stride = read_row_bytes(*this, j),
                 .unit = unit};
    into.offsets.clear();
    if (layout == gemm::layout::tiled) {
        into.block = tiled_block(*this);
        const std::size_t bytes = into.rows.count * into.rows.stride;
        for (std::size_t part = 0; part < bytes; part += into.block)
            into.offsets.push_back(tile_at(i, j) + part);
        return;
    }
    into.block = block_of(*this, j, count);
    std::uint64_t at = corner(*this, i, j);
    into.rows.skip = at % unit;
    into.rows.skip_step = row_bytes % unit;
    for (std::size_t row = 0; row < into.rows.count; ++row, at += row_bytes)
        into.offsets.push_back(at - at % unit);
    into.widened = {};
    if (half)
        into.widened = {.count = into.rows.count,
                        .elements = tiles.columns_of(j),
                        .from_stride = into.rows.stride,
                        .to_stride = row_bytes_of(*this, j),
                        .skip = into.rows.skip,
                        .skip_step = into.rows.skip_step,
                        .unit = unit,
                        .type = *half};
}

}  // namespace watari::gemm
