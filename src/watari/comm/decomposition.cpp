#include "watari/comm/decomposition.hpp"

#include "watari/core/error.hpp"

#include <algorithm>
#include <string>

namespace watari::comm {

namespace {

using std::to_string;

/// The name of an axis in messages: i, j, k of three axes; x, y, z, t of four, as lattice has them.
std::string name_of(const grid& whole, std::size_t axis) {
    return std::string(1, (whole.points.axes() == 4 ? "xyzt" : "ijk ")[axis]);
}

void require_shares(const grid& whole, std::size_t axis) {
    if (whole.split[axis] == 0 || whole.blocks[axis] == 0)
        throw usage_error("along " + name_of(whole, axis) + " are " + to_string(whole.split[axis]) +
                          " ranks and blocks of " + to_string(whole.blocks[axis]) +
                          " points: both must be at least 1");
    const std::size_t inner = whole.inner(axis), parts = whole.split[axis];
    const std::size_t block = whole.blocks[axis];
    if (inner % block != 0)
        throw usage_error("the grid has " + to_string(inner) + " points along " +
                          name_of(whole, axis) + ", not a multiple of " + to_string(block));
    if (inner / block < parts)
        throw usage_error("the grid has " + to_string(inner / block) + " inner " +
                          (block == 1 ? "planes" : "blocks") + " along " + name_of(whole, axis) +
                          ", fewer than the " + to_string(parts) + " ranks along it");
    const bool exchanged = parts > 1 || whole.periodic[axis];
    if (exchanged && inner / block / parts * block < whole.depth)
        throw usage_error("a rank has " + to_string(inner / block / parts * block) +
                          " planes along " + name_of(whole, axis) + ", fewer than the " +
                          to_string(whole.depth) + " of the halo");
}

/// The neighbour of rank `own`, whose box is at `position` of `parts` along an axis. The numbers of
/// adjacent ranks differ by `step`.
int neighbour(int own, std::size_t position, std::size_t parts, int step, bool above,
              bool periodic) {
    const std::size_t last = above ? parts - 1 : 0;
    if (position != last) return own + (above ? step : -step);
    if (!periodic) return nobody;
    const int around = static_cast<int>(parts - 1) * step;
    return own + (above ? -around : around);
}

/// Both ends along an axis of a box of `size` points.
faces faces_of(const extents& size, std::size_t axis, std::size_t depth) {
    std::array<std::size_t, most_axes> stride{1, 1, 1, 1};
    for (std::size_t a = most_axes - 1; a-- > 0;) stride[a] = stride[a + 1] * size[a + 1];
    faces f{.axis = axis};
    const std::size_t planes = stride[axis];
    f.inner[0] = depth * planes, f.inner[1] = (size[axis] - 2 * depth) * planes;
    f.outer[0] = 0, f.outer[1] = (size[axis] - depth) * planes;
    // planes first; axes that the grid does not have are left out, so that rows have many points
    std::size_t next = most_axes;
    for (std::size_t a = size.axes(); a-- > 0;)
        if (a != axis) f.loops[--next] = {size[a], stride[a]};
    if (next > 0) f.loops[next - 1] = {depth, planes};
    return f;
}

}  // namespace

share share_of(std::size_t points, std::size_t parts, std::size_t part, std::size_t block) {
    const std::size_t blocks = points / block, each = blocks / parts, rest = blocks % parts;
    return {(part * each + std::min(part, rest)) * block, (each + (part < rest ? 1 : 0)) * block};
}

std::size_t grid::inner(std::size_t axis) const {
    return periodic[axis] ? points[axis] : points[axis] - std::min(points[axis], 2 * depth);
}

grid coarser(const grid& fine, const by_axis& halved) {
    grid coarse = fine;
    for (std::size_t axis = 0; axis < fine.points.axes(); ++axis) {
        if (!halved[axis]) continue;
        if (fine.blocks[axis] % 2 != 0)
            throw usage_error("an axis whose shares are multiples of " +
                              to_string(fine.blocks[axis]) + " cannot be halved");
        const std::size_t inner = fine.inner(axis);
        coarse.points[axis] = inner / 2 + (fine.points[axis] - inner);
        coarse.blocks[axis] = fine.blocks[axis] / 2;
    }
    return coarse;
}

std::size_t faces::points() const {
    std::size_t count = 1;
    for (const loop& each : loops) count *= each.count;
    return count;
}

bool faces::contiguous() const {
    std::size_t dense = 1;
    for (std::size_t n = loops.size(); n-- > 0;) {
        if (loops[n].count > 1 && loops[n].stride != dense) return false;
        dense *= loops[n].count;
    }
    return true;
}

std::size_t decomposition::largest_face() const {
    std::size_t largest = 0;
    for (const faces& f : axes)
        if (f.shared()) largest = std::max(largest, f.points());
    return largest;
}

decomposition divide(const grid& whole, int rank) {
    decomposition box{.rank = rank, .depth = whole.depth, .size = whole.points};
    const std::size_t axes = whole.points.axes();
    std::array<std::size_t, most_axes> position{};
    for (std::size_t axis = axes; axis-- > 0;) require_shares(whole, axis);
    auto left = static_cast<std::size_t>(rank);
    if (rank < 0 || left >= whole.ranks())
        throw usage_error("rank " + to_string(rank) + " of a grid that is divided among " +
                          to_string(whole.ranks()));
    for (std::size_t axis = axes; axis-- > 0; left /= whole.split[axis]) {
        position[axis] = left % whole.split[axis];
        const share own =
            share_of(whole.inner(axis), whole.split[axis], position[axis], whole.blocks[axis]);
        box.inner[axis] = {own.first + (whole.periodic[axis] ? 0 : whole.depth), own.count};
        box.size[axis] = own.count + 2 * whole.depth;
    }
    int step = 1;
    for (std::size_t axis = axes; axis-- > 0; step *= static_cast<int>(whole.split[axis])) {
        box.axes[axis] = faces_of(box.size, axis, whole.depth);
        for (const bool above : {false, true})
            box.axes[axis].ranks[above] = neighbour(rank, position[axis], whole.split[axis], step,
                                                    above, whole.periodic[axis]);
    }
    return box;
}

}  // namespace watari::comm
