#include "watari/hmatrix/product/plan.hpp"

#include <algorithm>
#include <numeric>

namespace watari::hmatrix {

namespace {

std::size_t up(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

plan_lists::plan_lists(const matrix_index& index, std::span<const batch> batches,
                       processor::type who)
    : on_gpu_(who == processor::type::gpu) {
    for (const batch& one : batches)
        add_group(std::span(index.leaves).subspan(one.first_leaf, one.leaves), one.offset,
                  index.head.of);
    groups.push_back(next_);
}

void plan_lists::add_group(std::span<const leaf_record> of, std::uint64_t base,
                           const identity& matrix) {
    groups.push_back(next_);
    beginning& own = groups.back();
    for (std::uint32_t i = 0; i < of.size(); ++i) {
        const leaf_record& leaf = of[i];
        const std::uint32_t rank = leaf.rank == dense ? 0 : leaf.rank;
        leaves.push_back({leaf.offset - base, leaf.row, leaf.rows, leaf.column, leaf.columns,
                          leaf.rank,
                          static_cast<std::uint32_t>(next_.projection - own.projection)});
        if (on_gpu_)
            sums.push_back(static_cast<std::uint32_t>(next_.sum - own.sum));
        else
            projections.insert(projections.end(), rank, i);
        next_.projection += rank;
        next_.sum += on_gpu_ ? leaf.rows : 0;
        next_.bytes += leaf.elements() * matrix.element_bytes;
    }
    add_tiles(of, matrix);
    if (on_gpu_) order_leaves(of);
    next_.leaf = leaves.size();
}

void plan_lists::add_tiles(std::span<const leaf_record> of, const identity& matrix) {
    const std::uint32_t tile_rows = on_gpu_ ? tile_rows_gpu : tile_rows_cpu;
    std::uint32_t first = ~0u, last = 0;
    for (const leaf_record& leaf : of) {
        first = std::min(first, leaf.row / tile_rows);
        last = std::max(last, (leaf.row + leaf.rows - 1) / tile_rows);
    }
    std::vector<std::uint32_t> next(std::size_t{last} - first + 2);
    const auto each_tile = [&](const leaf_record& leaf, const auto& use) {
        const std::uint32_t end = (leaf.row + leaf.rows - 1) / tile_rows;
        for (std::uint32_t t = leaf.row / tile_rows; t <= end; ++t) use(t);
    };
    for (const leaf_record& leaf : of) each_tile(leaf, [&](std::uint32_t t) { ++next[t - first]; });
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
    for (std::uint32_t i = 0; i < of.size(); ++i) {
        const leaf_record& leaf = of[i];
        each_tile(leaf, [&](std::uint32_t t) {
            const std::size_t at = next_.entry + next[t - first]++;
            if (!on_gpu_) {
                entries[at] = i;
                return;
            }
            const std::uint32_t row = t * tile_rows, begin = std::max(leaf.row, row);
            const std::uint32_t end = std::min(leaf.row + leaf.rows, row + tile_rows);
            // modulo 2^32
            pieces[at] = {sums[next_.leaf + i] + row - leaf.row, begin - row, end - row};
        });
    }
    next_.entry += sum;
    next_.tile = tiles.size();
}

/// Those that a block takes, then those of a warp; among both the largest first.
void plan_lists::order_leaves(std::span<const leaf_record> of) {
    const auto is_large = [&](std::uint32_t i) {
        return of[i].elements() > most_of_a_warp ||
               (of[i].rank != dense && of[i].rank > most_rank_of_a_warp);
    };
    const auto first = static_cast<std::ptrdiff_t>(next_.leaf);
    std::vector<std::uint32_t> own(of.size());
    std::iota(own.begin(), own.end(), 0u);
    std::ranges::stable_sort(own, [&](std::uint32_t a, std::uint32_t b) {
        if (is_large(a) != is_large(b)) return is_large(a);
        return of[a].elements() > of[b].elements();
    });
    groups.back().large = static_cast<std::uint32_t>(std::ranges::count_if(own, is_large));
    const std::vector<leaf_view> views(leaves.begin() + first, leaves.end());
    const std::vector<std::uint32_t> places(sums.begin() + first, sums.end());
    for (std::size_t n = 0; n < own.size(); ++n) {
        leaves[next_.leaf + n] = views[own[n]];
        sums[next_.leaf + n] = places[own[n]];
    }
}

std::size_t plan_lists::bytes() const {
    return up(leaves.size() * sizeof(leaf_view)) + up(tiles.size() * sizeof(tile)) +
           up(4 * projections.size()) + up(4 * entries.size()) + up(4 * sums.size()) +
           up(pieces.size() * sizeof(tile_piece)) + 256;
}

std::size_t plan_lists::scratch() const {
    std::size_t most = 0;
    for (std::size_t g = 0; g + 1 < groups.size(); ++g)
        most = std::max(most, groups[g + 1].projection - groups[g].projection + groups[g + 1].sum -
                                  groups[g].sum);
    return most;
}

product_plan::product_plan(const matrix_index& index, const plan_lists& lists, processor who)
    : groups_(lists.groups),
      length_(index.head.of.triangles),
      scratch_(lists.scratch()),
      memory_(own_memory(who), lists.bytes(), {.device = who.number}) {
    auto* at = memory_.data();
    all_.leaves = placed(at, lists.leaves, who);
    all_.tiles = placed(at, lists.tiles, who);
    all_.projections = placed(at, lists.projections, who);
    all_.entries = placed(at, lists.entries, who);
    all_.pass.sums = placed(at, lists.sums, who);
    all_.pass.pieces = placed(at, lists.pieces, who);
}

group_view product_plan::group(std::size_t number) const {
    const plan_lists::beginning &from = groups_[number], &to = groups_[number + 1];
    group_view own = all_;
    own.leaves += from.leaf;
    own.tiles += from.tile;
    own.projection_count = static_cast<std::uint32_t>(to.projection - from.projection);
    own.tile_count = static_cast<std::uint32_t>(to.tile - from.tile);
    own.length = length_;
    own.bytes = to.bytes - from.bytes;
    own.projections += from.projection;
    own.entries += from.entry;
    own.pass.sums += from.leaf;
    own.pass.pieces += from.entry;
    own.pass.leaf_count = static_cast<std::uint32_t>(to.leaf - from.leaf);
    own.pass.large = from.large;
    own.pass.sum_count = static_cast<std::uint32_t>(to.sum - from.sum);
    return own;
}

}  // namespace watari::hmatrix
