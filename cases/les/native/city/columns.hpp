/// Heights in cells of the columns of one part of the city and of a margin around it: a neighbour
/// costs no division by the city's size.
#pragma once

#include "../les.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace watari::les {

class columns {
public:
    /// Adds `margin` columns on each side; x and y are periodic.
    columns(const parameters& p, std::ptrdiff_t margin)
        : margin_(margin),
          width_(static_cast<std::ptrdiff_t>(p.grid.size.x) + 2 * margin),
          height_(static_cast<std::size_t>(width_) *
                  (p.grid.size.y + 2 * static_cast<std::size_t>(margin))) {
        const auto around = [](std::ptrdiff_t n, std::size_t size) {
            const auto all = static_cast<std::ptrdiff_t>(size);
            return static_cast<std::size_t>((n % all + all) % all);
        };
        auto* to = height_.data();
        for (std::ptrdiff_t j = -margin; to != height_.data() + height_.size(); ++j) {
            const std::size_t row =
                around(static_cast<std::ptrdiff_t>(p.grid.origin.y) + j, p.whole.y) * p.whole.x;
            for (std::ptrdiff_t i = -margin; i < width_ - margin; ++i)
                *to++ = p.heights[row + around(static_cast<std::ptrdiff_t>(p.grid.origin.x) + i,
                                               p.whole.x)];
        }
    }

    /// Returns the heights from (j, -margin) on; j counts from the part's first row.
    const int* row(std::ptrdiff_t j) const { return height_.data() + (j + margin_) * width_; }
    int operator()(std::ptrdiff_t j, std::ptrdiff_t i) const { return row(j)[i + margin_]; }
    int tallest() const { return *std::max_element(height_.begin(), height_.end()); }

private:
    std::ptrdiff_t margin_, width_;
    std::vector<int> height_;
};

}  // namespace watari::les
