#include "watari/hmatrix/tree/tree.hpp"

#include "watari/core/error.hpp"
#include "watari/memory/rows/rows.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace watari::hmatrix {

namespace {

constexpr double point::*axes[] = {&point::x, &point::y, &point::z};

box box_of(std::span<const std::uint32_t> order, std::span<const panel> panels) {
    box around{panels[order[0]].centroid, panels[order[0]].centroid};
    for (const std::uint32_t i : order)
        for (const auto axis : axes) {
            around.low.*axis = std::min(around.low.*axis, panels[i].centroid.*axis);
            around.high.*axis = std::max(around.high.*axis, panels[i].centroid.*axis);
        }
    return around;
}

class partition {
public:
    partition(const cluster_tree& tree, double eta) : clusters_(tree.clusters()), eta_(eta) {}

    std::vector<block> run() {
        divide(clusters_[0], clusters_[0]);
        return std::move(leaves_);
    }

private:
    void divide(const cluster& rows, const cluster& columns) {
        const std::uint32_t fewer = std::min(rows.count, columns.count);
        const bool far = std::min(diameter(rows.around), diameter(columns.around)) <=
                         eta_ * distance(rows.around, columns.around);
        const bool low_rank = far && fewer >= least_low_rank;
        if (low_rank || !rows.child[0] || !columns.child[0] || fewer <= least_low_rank) {
            leaves_.push_back({rows.first, rows.count, columns.first, columns.count, low_rank});
            return;
        }
        for (const std::uint32_t r : rows.child)
            for (const std::uint32_t c : columns.child) divide(clusters_[r], clusters_[c]);
    }

    const std::vector<cluster>& clusters_;
    double eta_;
    std::vector<block> leaves_;
};

}  // namespace

double diameter(const box& of) { return length(of.high - of.low); }

double distance(const box& a, const box& b) {
    point gap{};
    for (const auto axis : axes)
        gap.*axis = std::max({0.0, a.low.*axis - b.high.*axis, b.low.*axis - a.high.*axis});
    return length(gap);
}

cluster_tree::cluster_tree(std::span<const panel> panels) : order_(panels.size()) {
    if (panels.empty()) throw usage_error("a tree of no triangles");
    std::iota(order_.begin(), order_.end(), 0u);
    clusters_.push_back({0, static_cast<std::uint32_t>(panels.size()), {}, {}});
    for (std::uint32_t number = 0; number < clusters_.size(); ++number) cut(number, panels);
}

void cluster_tree::cut(std::uint32_t number, std::span<const panel> panels) {
    cluster& own = clusters_[number];
    const auto begin = order_.begin() + own.first, end = begin + own.count;
    own.around = box_of({begin, end}, panels);
    if (own.count <= most_of_a_leaf) return;
    const point extent = own.around.high - own.around.low;
    const auto axis = *std::max_element(std::begin(axes), std::end(axes),
                                        [&](auto a, auto b) { return extent.*a < extent.*b; });
    const double middle = (own.around.low.*axis + own.around.high.*axis) / 2;
    auto cut = std::stable_partition(
        begin, end, [&](std::uint32_t i) { return panels[i].centroid.*axis <= middle; });
    if (cut == end) cut = begin + own.count / 2;  // equal centroids
    const auto left = static_cast<std::uint32_t>(cut - begin);
    const auto next = static_cast<std::uint32_t>(clusters_.size());
    own.child[0] = next;
    own.child[1] = next + 1;
    const cluster lower{own.first, left, {}, {}};
    const cluster upper{own.first + left, own.count - left, {}, {}};
    clusters_.push_back(lower);  // `own` ends here
    clusters_.push_back(upper);
}

surface::surface(const mesh& m) : tree(panels_of(m)) {
    panels.reserve(m.triangles.size());
    for (const std::uint32_t i : tree.order()) {
        const triangle& t = m.triangles[i];
        panels.emplace_back(m.vertices[t[0]], m.vertices[t[1]], m.vertices[t[2]]);
        signs.push_back(m.signs.empty() ? 1 : m.signs[i]);
    }
}

std::uint64_t surface::fingerprint() const {
    std::uint64_t sum = 0, position = 0;
    for (const panel& one : panels)
        for (const point& v : one.corners)
            for (const double value : {v.x, v.y, v.z})
                sum += memory::mixed(std::bit_cast<std::uint64_t>(value), position++);
    return sum;
}

std::vector<block> leaves_of(const cluster_tree& tree, double eta) {
    if (!(eta > 0)) throw usage_error("eta must be above 0");
    return partition(tree, eta).run();
}

}  // namespace watari::hmatrix
