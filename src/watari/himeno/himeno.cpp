#include "watari/himeno/himeno.hpp"

#include "watari/core/error.hpp"
#include "watari/himeno/styles.hpp"

namespace watari::himeno {

namespace {

void require_sense(const parameters& p) {
    if (p.size.i < 3 || p.size.j < 3 || p.size.k < 3)
        throw usage_error("grid: 3 points or more along each axis, two of them the boundary's");
    if (p.iterations < 1) throw usage_error("iterations: at least 1");
}

}  // namespace

measure::trial run(const parameters& p) {
    require_sense(p);
    if (p.processor.is_gpu()) device::use(p.processor.number);
    for (const style& row : styles()) {
        if (row.name != p.style) continue;
        if (!p.processor.is_gpu() && !row.on_cpu) break;
        return row.run(p);
    }
    throw unsupported("style " + p.style +
                      (p.processor.is_gpu() ? " is not part of this build"
                                            : " is a GPU's; the CPU runs style=system"));
}

}  // namespace watari::himeno
