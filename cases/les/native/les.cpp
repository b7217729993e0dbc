#include "les.hpp"

#include "city/leaves.hpp"
#include "grid/fields.hpp"
#include "ranks/ranks.hpp"
#include "styles.hpp"
#include "watari/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace watari::les {

namespace {

constexpr std::size_t least_cells = 8;  // along an axis

void require_nozzle(const parameters& p, const double* nozzle) {
    std::size_t cell[3];
    for (unsigned a = 0; a < 3; ++a) {
        if (!(nozzle[a] >= 0 && nozzle[a] < static_cast<double>(along(p.whole, a))))
            throw usage_error("mist: a nozzle outside the grid");
        cell[a] = static_cast<std::size_t>(nozzle[a]);
    }
    if (p.heights[cell[1] * p.whole.x + cell[0]] > cell[2])
        throw usage_error("mist: a nozzle inside a building");
    if (!(nozzle[3] > 0 && nozzle[3] < INFINITY))
        throw usage_error("mist: a nozzle releases more than 0 kg/s");
}

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
    if (p.mist.size() % 4 != 0) throw usage_error("mist: four numbers for each nozzle");
    for (std::size_t n = 0; n < p.mist.size(); n += 4) require_nozzle(p, &p.mist[n]);
    require_leaves(p);
    if (p.transpires() && p.split.cells() > 1)
        throw usage_error("trees: their light is for one rank, as all radiation between facets");
    if (p.cycles < 1 || p.cycles > 8) throw usage_error("cycles: 1 to 8");
    if (p.every < 1) throw usage_error("every: 1 step or more");
    if (p.steps < 1) throw usage_error("steps: at least 1");
    if (level_shapes(p).size() < 2) throw usage_error("grid: one axis at least has an even count");
}

}  // namespace

measure::trial run(const parameters& given) {
    parameters p = given;
    p.grid = p.whole_grid();
    require_sense(p);
    if (p.processor.is_gpu() && device::count() == 0) throw unsupported(device::absent_reason());
    const style& row = cases::style_of(styles(), p.style, p.processor);
    if (p.split.cells() > 1) return run_on_ranks(p, row);
    if (p.processor.is_gpu()) device::use(p.processor.number);
    return row.on(p.processor)(p);
}

}  // namespace watari::les
