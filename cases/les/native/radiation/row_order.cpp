#include "row_order.hpp"

#include "watari/core/loops.hpp"

#include <algorithm>
#include <numeric>

namespace watari::les {

std::vector<std::uint32_t> square_by_square(const parameters& p, const facet_list& facets) {
    const std::uint32_t across =
        static_cast<std::uint32_t>(p.whole.x + square_columns - 1) / square_columns;
    std::vector<std::uint32_t> square(facets.nodes()), node(facets.nodes());
    for (std::size_t n = 0; n < square.size(); ++n) {
        const bool is_facet = n < facets.count();
        const std::uint32_t j = is_facet ? facets[n].j : facets.leaves()[n - facets.count()].j,
                            i = is_facet ? facets[n].i : facets.leaves()[n - facets.count()].i;
        square[n] = j / square_columns * across + i / square_columns;
    }
    std::iota(node.begin(), node.end(), 0u);
    std::stable_sort(node.begin(), node.end(),
                     [&](auto a, auto b) { return square[a] < square[b]; });
    return node;
}

view_factors in_order(const view_factors& of, const std::vector<std::uint32_t>& node,
                      const std::vector<std::uint32_t>& row) {
    std::vector<std::uint64_t> first(node.size() + 1);
    std::vector<float> area(node.size());
    for (std::size_t n = 0; n < node.size(); ++n) {
        first[n + 1] = first[n] + of.first[node[n] + 1] - of.first[node[n]];
        area[n] = of.area[node[n]];
    }
    view_factors result(std::move(first), std::move(area));
    cpu::for_each_part(node.size(), [&](std::size_t n, std::size_t last) {
        for (; n < last; ++n) {
            const std::uint64_t from = of.first[node[n]], to = result.first[n],
                                count = result.first[n + 1] - to;
            result.sky[n] = of.sky[node[n]];
            std::copy_n(of.shared.data() + from, count, result.shared.data() + to);
            for (std::uint64_t at = 0; at < count; ++at)
                result.column.data()[to + at] = row[of.column.data()[from + at]];
        }
    });
    return result;
}

}  // namespace watari::les
