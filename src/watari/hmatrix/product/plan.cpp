#include "watari/hmatrix/product/plan.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace watari::hmatrix {

namespace {

std::size_t up(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// The rows of a leaf in the tile that begins at `row`.
tile_piece piece_of(const leaf_view& leaf, std::uint32_t row, std::uint32_t element_bytes) {
    const std::uint32_t begin = std::max(leaf.row, row);
    const std::uint32_t end = std::min(leaf.row + leaf.rows, row + tile_rows_gpu);
    const bool is_dense = leaf.rank == dense;
    const std::uint64_t before = is_dense ? 0 : std::uint64_t{leaf.rank} * leaf.columns;
    const std::uint64_t width = is_dense ? leaf.columns : leaf.rank;
    return {.offset = leaf.offset + (before + (begin - leaf.row) * width) * element_bytes,
            .width = static_cast<std::uint32_t>(width),
            .from = is_dense ? leaf.column : leaf.projected,
            .first = static_cast<std::uint8_t>(begin - row),
            .rows = static_cast<std::uint8_t>(end - begin),
            .is_dense = is_dense};
}

}  // namespace

plan_lists::plan_lists(const matrix_index& index, std::span<const batch> batches,
                       processor::type who)
    : on_gpu_(who == processor::type::gpu) {
    for (const batch& one : batches)
        add_batch(std::span(index.leaves).subspan(one.first_leaf, one.leaves), one.offset,
                  index.head.of);
    beginnings.push_back(next_);
}

void plan_lists::add_batch(std::span<const leaf_record> of, std::uint64_t base,
                           const identity& matrix) {
    beginnings.push_back(next_);
    own_.clear();
    for (const leaf_record& leaf : of) {
        own_.push_back(
            {leaf.offset - base, leaf.row, leaf.rows, leaf.column, leaf.columns, leaf.rank, 0});
        next_.bytes += leaf.elements() * matrix.element_bytes;
    }
    project(matrix);
    add_tiles(matrix);
    if (!on_gpu_) leaves.insert(leaves.end(), own_.begin(), own_.end());
    next_.leaf = leaves.size();
}

/// Lists the elements of t: for a CPU in the order of the leaves, for a GPU the longest rows first.
void plan_lists::project(const identity& matrix) {
    std::vector<std::uint32_t> order(own_.size());
    std::iota(order.begin(), order.end(), 0u);
    if (on_gpu_)
        std::ranges::stable_sort(order,
                                 [&](auto a, auto b) { return own_[a].columns > own_[b].columns; });
    std::uint32_t count = 0;
    for (const std::uint32_t i : order) {
        leaf_view& leaf = own_[i];
        const std::uint32_t rank = leaf.rank == dense ? 0 : leaf.rank;
        leaf.projected = count;
        count += rank;
        if (!on_gpu_) projections.insert(projections.end(), rank, i);
        for (std::uint64_t r = 0; on_gpu_ && r < rank; ++r)
            rows.push_back(
                {leaf.offset + r * leaf.columns * matrix.element_bytes, leaf.column, leaf.columns});
    }
    next_.projection += count;
}

void plan_lists::add_tiles(const identity& matrix) {
    const std::uint32_t tile_rows = on_gpu_ ? tile_rows_gpu : tile_rows_cpu;
    std::uint32_t first = ~0u, last = 0;
    for (const leaf_view& leaf : own_) {
        first = std::min(first, leaf.row / tile_rows);
        last = std::max(last, (leaf.row + leaf.rows - 1) / tile_rows);
    }
    std::vector<std::uint32_t> next(std::size_t{last} - first + 2);
    const auto each_tile = [&](const leaf_view& leaf, const auto& use) {
        const std::uint32_t end = (leaf.row + leaf.rows - 1) / tile_rows;
        for (std::uint32_t t = leaf.row / tile_rows; t <= end; ++t) use(t);
    };
    for (const leaf_view& leaf : own_) each_tile(leaf, [&](std::uint32_t t) { ++next[t - first]; });
    std::uint32_t sum = 0;
    for (std::uint32_t t = first; t <= last; ++t) {
        const std::uint32_t count = next[t - first], row = t * tile_rows;
        const auto rows =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(tile_rows, matrix.triangles - row));
        if (count > 0) tiles.push_back({row, rows, sum, sum + count});
        next[t - first] = sum;
        sum += count;
    }
    on_gpu_ ? pieces.resize(next_.entry + sum) : entries.resize(next_.entry + sum);
    for (std::uint32_t i = 0; i < own_.size(); ++i) {
        const leaf_view& leaf = own_[i];
        each_tile(leaf, [&](std::uint32_t t) {
            const std::size_t at = next_.entry + next[t - first]++;
            if (on_gpu_)
                pieces[at] = piece_of(leaf, t * tile_rows, matrix.element_bytes);
            else
                entries[at] = i;
        });
    }
    if (on_gpu_) sort_tiles();
    next_.entry += sum;
    next_.tile = tiles.size();
}

/// Sorts the batch's tiles, those with the most elements first, so that no large tile begins late
/// and ends last. Tiles with about as many elements stay neighbours: they share what memory
/// delivers at once.
void plan_lists::sort_tiles() {
    struct weighed {
        tile own;
        std::uint64_t elements;
    };
    std::vector<weighed> all;
    std::uint64_t sum = 0;
    for (std::size_t i = next_.tile; i < tiles.size(); ++i) {
        std::uint64_t elements = 0;
        for (std::uint32_t k = tiles[i].first; k < tiles[i].last; ++k) {
            const tile_piece& piece = pieces[next_.entry + k];
            elements += std::uint64_t{piece.rows} * piece.width;
        }
        all.push_back({tiles[i], elements});
        sum += elements;
    }
    const std::uint64_t step = sum / (8 * all.size() + 1) + 1;  // an eighth of the mean
    std::ranges::stable_sort(all, std::greater<>{},
                             [&](const weighed& one) { return one.elements / step; });
    for (std::size_t i = 0; i < all.size(); ++i) tiles[next_.tile + i] = all[i].own;
}

std::size_t plan_lists::bytes() const {
    return up(leaves.size() * sizeof(leaf_view)) + up(tiles.size() * sizeof(tile)) +
           up(4 * projections.size()) + up(4 * entries.size()) +
           up(rows.size() * sizeof(factor_row)) + up(pieces.size() * sizeof(tile_piece)) + 256;
}

std::size_t plan_lists::scratch() const {
    std::size_t most = 0;
    for (std::size_t g = 0; g + 1 < beginnings.size(); ++g)
        most = std::max(most, beginnings[g + 1].projection - beginnings[g].projection);
    return most;
}

product_plan::product_plan(const matrix_index& index, const plan_lists& lists, processor who)
    : beginnings_(lists.beginnings),
      length_(index.head.of.triangles),
      scratch_(lists.scratch()),
      memory_(memory::local_kind(who), lists.bytes(), {.device = who.number}) {
    auto* at = memory_.data();
    all_.leaves = placed(at, lists.leaves, who);
    all_.tiles = placed(at, lists.tiles, who);
    all_.projections = placed(at, lists.projections, who);
    all_.entries = placed(at, lists.entries, who);
    all_.pass.rows = placed(at, lists.rows, who);
    all_.pass.pieces = placed(at, lists.pieces, who);
}

batch_view product_plan::view_of(std::size_t number) const {
    const plan_lists::beginning &from = beginnings_[number], &to = beginnings_[number + 1];
    batch_view own = all_;
    own.leaves += from.leaf;
    own.tiles += from.tile;
    own.projection_count = static_cast<std::uint32_t>(to.projection - from.projection);
    own.tile_count = static_cast<std::uint32_t>(to.tile - from.tile);
    own.length = length_;
    own.bytes = to.bytes - from.bytes;
    own.projections += from.projection;
    own.entries += from.entry;
    own.pass.rows += from.projection;
    own.pass.pieces += from.entry;
    return own;
}

}  // namespace watari::hmatrix
