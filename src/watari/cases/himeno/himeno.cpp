#include "watari/cases/himeno/himeno.hpp"

#include "watari/cases/himeno/ranks.hpp"
#include "watari/cases/himeno/styles.hpp"
#include "watari/core/error.hpp"

namespace watari::himeno {

namespace {

void require_sense(const parameters& p) {
    if (p.size.i < 3 || p.size.j < 3 || p.size.k < 3)
        throw usage_error("grid: 3 points or more along each axis, two of them the boundary's");
    if (p.split.points() < 1) throw usage_error("split: 1 rank or more along each axis");
    if (p.iterations < 1) throw usage_error("iterations: at least 1");
}

const style& style_of(const parameters& p) {
    for (const style& row : styles())
        if (row.name == p.style && row.on(p.processor)) return row;
    throw unsupported("style " + p.style +
                      (p.processor.is_gpu() ? " is not part of this build"
                                            : " is a GPU's; the CPU runs style=system"));
}

}  // namespace

measure::trial run(const parameters& p) {
    require_sense(p);
    if (p.processor.is_gpu() && device::count() == 0) throw unsupported(device::absent_reason());
    if (p.split.points() > 1) return run_on_ranks(p, style_of(p));
    if (p.overlap) throw usage_error("overlap=yes: one rank has nothing to exchange");
    if (p.processor.is_gpu()) device::use(p.processor.number);
    return style_of(p).on(p.processor)(p);
}

}  // namespace watari::himeno
