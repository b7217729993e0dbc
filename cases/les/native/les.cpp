#include "les.hpp"

#include "grid/fields.hpp"
#include "ranks/ranks.hpp"
#include "styles.hpp"
#include "watari/core/error.hpp"

#include <algorithm>
#include <string>

namespace watari::les {

namespace {

constexpr std::size_t least_cells = 8;  // along an axis

void require_sense(const parameters& p) {
    for (unsigned a = 0; a < 3; ++a)
        if (along(p.whole, a) < least_cells)
            throw usage_error("grid: 8 cells or more along each axis");
    if (p.heights.size() != p.whole.x * p.whole.y)
        throw usage_error("city: one height for each column of the grid");
    if (*std::max_element(p.heights.begin(), p.heights.end()) > p.whole.z * 3 / 4)
        throw usage_error("city: no building above 3/4 of the lid");
    if (std::min({p.spacing[0], p.spacing[1], p.spacing[2]}) <= 4 * p.air.roughness)
        throw usage_error("spacing: more than 4 z0, " + std::to_string(4 * p.air.roughness) +
                          " m; below, the law of the wall turns over");
    if (p.cycles < 1 || p.cycles > 8) throw usage_error("cycles: 1 to 8");
    if (p.every < 1) throw usage_error("every: 1 step or more");
    if (p.steps < 1) throw usage_error("steps: at least 1");
    if (level_shapes(p).size() < 2) throw usage_error("grid: one axis at least has an even count");
}

}  // namespace

measure::trial run(const parameters& given) {
    parameters p = given;
    p.grid = {p.whole};
    require_sense(p);
    if (p.processor.is_gpu() && device::count() == 0) throw unsupported(device::absent_reason());
    const style& row = cases::style_of(styles(), p.style, p.processor);
    if (p.split.cells() > 1) return run_on_ranks(p, row);
    if (p.processor.is_gpu()) device::use(p.processor.number);
    return row.on(p.processor)(p);
}

}  // namespace watari::les
