#include "watari/hmatrix/product/plan.hpp"

#include <algorithm>

namespace watari::hmatrix {

namespace {

std::size_t up(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

plan_lists::plan_lists(const matrix_index& index, grouping how, std::uint32_t tile_rows) {
    const identity& of = index.head.of;
    const std::span<const leaf_record> all(index.leaves);
    if (how == grouping::whole)
        add_group(all, batch_unit, tile_rows, of);
    else
        for (const batch_record& batch : index.batches)
            add_group(all.subspan(batch.first_leaf, batch.leaves), batch.offset, tile_rows, of);
    groups.push_back({leaves.size(), projections.size(), entries.size(), tiles.size(), leaf_bytes});
}

void plan_lists::add_group(std::span<const leaf_record> of, std::uint64_t base,
                           std::uint32_t tile_rows, const identity& matrix) {
    groups.push_back({leaves.size(), projections.size(), entries.size(), tiles.size(), leaf_bytes});
    const beginning& from = groups.back();
    std::uint32_t first = ~0u, last = 0;  // tiles
    for (const leaf_record& leaf : of) {
        first = std::min(first, leaf.row / tile_rows);
        last = std::max(last, (leaf.row + leaf.rows - 1) / tile_rows);
    }
    std::vector<std::uint32_t> next(std::size_t{last} - first + 2);
    const auto each_tile = [&](const leaf_record& leaf, const auto& use) {
        const std::uint32_t end = (leaf.row + leaf.rows - 1) / tile_rows;
        for (std::uint32_t t = leaf.row / tile_rows; t <= end; ++t) use(next[t - first]);
    };
    for (std::uint32_t i = 0; i < of.size(); ++i) {
        const leaf_record& leaf = of[i];
        const auto projected = static_cast<std::uint32_t>(projections.size() - from.projection);
        leaves.push_back({leaf.offset - base, leaf.row, leaf.rows, leaf.column, leaf.columns,
                          leaf.rank, projected});
        leaf_bytes += leaf.elements() * matrix.element_bytes;
        if (leaf.rank != dense) projections.insert(projections.end(), leaf.rank, i);
        each_tile(leaf, [](std::uint32_t& count) { ++count; });
    }
    std::uint32_t sum = 0;
    for (std::uint32_t t = first; t <= last; ++t) {
        const std::uint32_t count = next[t - first], row = t * tile_rows;
        const auto rows =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(tile_rows, matrix.triangles - row));
        if (count > 0) tiles.push_back({row, rows, sum, sum + count});
        next[t - first] = sum;
        sum += count;
    }
    entries.resize(from.entry + sum);
    for (std::uint32_t i = 0; i < of.size(); ++i)
        each_tile(of[i], [&](std::uint32_t& at) { entries[from.entry + at++] = i; });
}

std::size_t plan_lists::bytes() const {
    return up(leaves.size() * sizeof(leaf_view)) + up(projections.size() * 4) +
           up(entries.size() * 4) + up(tiles.size() * sizeof(tile)) + 256;
}

std::size_t plan_lists::most_projections() const {
    std::size_t most = 0;
    for (std::size_t g = 0; g + 1 < groups.size(); ++g)
        most = std::max(most, groups[g + 1].projection - groups[g].projection);
    return most;
}

product_plan::product_plan(const matrix_index& index, const plan_lists& lists, processor who)
    : groups_(lists.groups),
      length_(index.head.of.triangles),
      most_projections_(lists.most_projections()),
      memory_(own_memory(who), lists.bytes(), {.device = who.number}) {
    auto* at = memory_.data();
    leaves_ = placed(at, lists.leaves, who);
    projections_ = placed(at, lists.projections, who);
    entries_ = placed(at, lists.entries, who);
    tiles_ = placed(at, lists.tiles, who);
}

group_view product_plan::group(std::size_t number) const {
    const plan_lists::beginning &from = groups_[number], &to = groups_[number + 1];
    return {leaves_ + from.leaf,
            projections_ + from.projection,
            entries_ + from.entry,
            tiles_ + from.tile,
            static_cast<std::uint32_t>(to.projection - from.projection),
            static_cast<std::uint32_t>(to.tile - from.tile),
            length_,
            to.bytes - from.bytes};
}

}  // namespace watari::hmatrix
