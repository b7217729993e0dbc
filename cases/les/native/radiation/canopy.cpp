#include "canopy.hpp"

namespace watari::les {

canopy::canopy(const parameters& p, const std::vector<leaf_place>& leaves) {
    if (leaves.empty()) return;
    first_.assign(p.heights.size() + 1, 0);
    const auto column = [&](const leaf_place& leaf) { return leaf.j * p.whole.x + leaf.i; };
    for (const leaf_place& leaf : leaves) {
        ++first_[column(leaf) + 1];
        depth_.push_back(leaf_extinction * leaf.density);
        top_ = std::max(top_, static_cast<int>(leaf.k) + 1);
    }
    for (std::size_t n = 1; n < first_.size(); ++n) first_[n] += first_[n - 1];
    std::vector<std::uint32_t> next(first_);
    entries_.resize(leaves.size());
    for (std::size_t n = 0; n < leaves.size(); ++n)  // ascending by k, so columns are too
        entries_[next[column(leaves[n])]++] = {leaves[n].k, static_cast<std::uint32_t>(n)};
}

}  // namespace watari::les
