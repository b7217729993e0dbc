/// The median of some numbers; of an even count the upper one of the middle two.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace watari::measure {

inline double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace watari::measure
