/// The facets of a whole city by number and by place, and behind them its cells with leaves: all
/// that exchanges radiation.
#pragma once

#include "../city/leaves.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace watari::les {

struct facet_place {
    unsigned direction;
    std::uint32_t k, j, i;  ///< cell of air

    bool operator==(const facet_place&) const = default;
};

class facet_list {
public:
    /// The facets of a city that one rank has.
    explicit facet_list(const parameters& p) : up_(p.heights.size()) {
        if (p.transpires()) leaves_ = leaf_places(p);
        const auto counts = count_facets(p);
        places_.reserve(counts.all());
        for (unsigned d = 1; d < directions; ++d) {
            first_[d - 1].resize(p.heights.size());
            walls_[d - 1].reserve(counts.of[d]);
        }
        find_walls(p);
        for_each_facet(p, [&](unsigned d, std::size_t k, std::size_t j, std::size_t i) {
            const std::size_t column = j * p.whole.x + i;
            const auto number = static_cast<std::uint32_t>(places_.size());
            places_.push_back({d, static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(j),
                               static_cast<std::uint32_t>(i)});
            if (d == 0)
                up_[column] = number;
            else
                walls_[d - 1][first_[d - 1][column] + k - p.heights[column]] = number;
        });
    }

    std::size_t count() const { return places_.size(); }
    /// Facets, then cells with leaves.
    std::size_t nodes() const { return places_.size() + leaves_.size(); }
    const std::vector<leaf_place>& leaves() const { return leaves_; }
    const facet_place& operator[](std::size_t n) const { return places_[n]; }
    /// The number of the ground or roof of a column.
    std::uint32_t up(std::size_t column) const { return up_[column]; }
    /// The number of a wall beside the air of a column at plane k; `height`: the column's.
    std::uint32_t wall(unsigned direction, std::size_t column, std::size_t k,
                       std::size_t height) const {
        return walls_[direction - 1][first_[direction - 1][column] + k - height];
    }

private:
    /// Sets where the walls of each column begin.
    void find_walls(const parameters& p) {
        const columns height(p, 1);
        constexpr std::ptrdiff_t behind[directions][2] = {{0, 0}, {0, -1}, {0, 1}, {-1, 0}, {1, 0}};
        for (unsigned d = 1; d < directions; ++d) {
            std::size_t next = 0;
            for (std::size_t column = 0; column < p.heights.size(); ++column) {
                const auto j = static_cast<std::ptrdiff_t>(column / p.whole.x),
                           i = static_cast<std::ptrdiff_t>(column % p.whole.x);
                first_[d - 1][column] = static_cast<std::uint32_t>(next);
                const int more = height(j + behind[d][0], i + behind[d][1]) - height(j, i);
                next += static_cast<std::size_t>(std::max(more, 0));
            }
            walls_[d - 1].resize(next);
        }
    }

    std::vector<facet_place> places_;
    std::vector<leaf_place> leaves_;
    std::vector<std::uint32_t> up_;
    std::array<std::vector<std::uint32_t>, directions - 1> first_, walls_;  ///< by direction
};

}  // namespace watari::les
