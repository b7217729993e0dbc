/// Leaves in the way of rays: light and long waves fall by exp(-k integral of a ds), k = 0.5.
///
/// A cell with leaves absorbs what it takes from a ray, and emits as a black body of the air's
/// temperature. So it exchanges radiation as a surface of 4 k a V would that reflects nothing.
#pragma once

#include "../city/leaves.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace watari::les {

inline constexpr double leaf_extinction = 0.5;  ///< k

/// exp(-x) of x >= 0 to 1e-10: no library's, so that each machine has the same views.
inline double decay(double x) {
    constexpr int halvings = 6;
    constexpr unsigned terms = 14;
    const double part = -x / (1 << halvings);
    if (!(part > -1)) return 0;  // below 2e-28
    double result = 1;
    for (unsigned n = terms; n > 0; --n) result = 1 + result * part / n;
    for (int n = 0; n < halvings; ++n) result *= result;
    return result;
}

class canopy {
public:
    canopy(const parameters& p, const std::vector<leaf_place>& leaves);

    bool empty() const { return depth_.empty(); }
    int top() const { return top_; }  ///< all leaves are below this plane
    /// k a of a leaf cell by its number, 1/m.
    double extinction(std::size_t leaf) const { return depth_[leaf]; }
    /// Calls work(leaf, metres) for the cells with leaves of a column between `begin` and `end`
    /// metres of a ray that is at plane z there, and `rise` planes higher each metre; in order.
    template <class Work>
    void cross(std::size_t column, double z, double rise, double begin, double end,
               const Work& work) const {
        const std::uint32_t first = first_[column], last = first_[column + 1];
        for (std::uint32_t n = first; n < last; ++n) {
            const entry& of = entries_[rise < 0 ? last - 1 - (n - first) : n];
            double from = begin, to = end;
            if (rise != 0) {
                const double low = (of.k - z) / rise, high = (of.k + 1.0 - z) / rise;
                from = std::max(from, std::min(low, high));
                to = std::min(to, std::max(low, high));
            } else if (!(of.k <= z && z < of.k + 1.0)) {
                continue;
            }
            if (from < to) work(of.leaf, to - from);
        }
    }

private:
    struct entry {
        std::uint32_t k, leaf;
    };
    std::vector<std::uint32_t> first_;  ///< entry with which a column begins, and the end
    std::vector<entry> entries_;        ///< by column, then ascending
    std::vector<double> depth_;
    int top_ = 0;
};

}  // namespace watari::les
