#include "watari/comm/decomposition.hpp"

#include "watari/core/error.hpp"

#include <algorithm>
#include <string>

namespace watari::comm {

namespace {

/// Both ends along an axis of a box of `size` points, whose neighbours are known.
faces faces_of(const extents& size, std::size_t axis, int below, int above) {
    const extents stride{size[1] * size[2], size[2], 1};
    const std::size_t row_axis = axis == 0 ? 1 : 0, column_axis = axis == 2 ? 1 : 2;
    const std::size_t last = size[axis] - 1;
    return {.axis = axis,
            .ranks = {below, above},
            .inner = {stride[axis], (last - 1) * stride[axis]},
            .outer = {0, last * stride[axis]},
            .rows = size[row_axis],
            .columns = size[column_axis],
            .row_stride = stride[row_axis],
            .column_stride = stride[column_axis]};
}

}  // namespace

share share_of(std::size_t points, std::size_t parts, std::size_t part) {
    const std::size_t each = points / parts, rest = points % parts;
    return {part * each + std::min(part, rest), each + (part < rest ? 1 : 0)};
}

std::size_t decomposition::largest_plane() const {
    std::size_t largest = 0;
    for (const faces& f : axes)
        if (f.shared()) largest = std::max(largest, f.points());
    return largest;
}

decomposition divide(const extents& whole, const extents& split, int rank) {
    const auto own = static_cast<std::size_t>(rank);
    const extents position{own / split[2] / split[1], own / split[2] % split[1], own % split[2]};
    const std::array<int, 3> step{static_cast<int>(split[1] * split[2]), static_cast<int>(split[2]),
                                  1};
    decomposition result{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t inner = whole[axis] - 2;
        if (inner < split[axis])
            throw usage_error("the grid has " + std::to_string(inner) + " inner planes along " +
                              "ijk"[axis] + ", fewer than the " + std::to_string(split[axis]) +
                              " ranks along it");
        const share points = share_of(inner, split[axis], position[axis]);
        result.size[axis] = points.count + 2;
        result.origin[axis] = points.first;
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
        result.axes[axis] =
            faces_of(result.size, axis, position[axis] == 0 ? nobody : rank - step[axis],
                     position[axis] + 1 == split[axis] ? nobody : rank + step[axis]);
    return result;
}

}  // namespace watari::comm
