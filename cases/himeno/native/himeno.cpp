#include "himeno.hpp"

#include "ranks.hpp"
#include "styles.hpp"
#include "watari/core/error.hpp"

namespace watari::himeno {

namespace {

void require_sense(const parameters& p) {
    if (p.size.i < 3 || p.size.j < 3 || p.size.k < 3)
        throw usage_error("grid: 3 points or more along each axis, two of them the boundary's");
    if (p.split.points() < 1) throw usage_error("split: 1 rank or more along each axis");
    if (p.init == processor::type::gpu && !p.processor.is_gpu())
        throw unsupported("init=gpu: the CPU iterates alone, and writes its data itself");
    if (p.iterations < 1) throw usage_error("iterations: at least 1");
    if (p.rehearsal < 0) throw usage_error("rehearsal: 0 or more iterations");
}

}  // namespace

measure::trial run(const parameters& p) {
    require_sense(p);
    if (p.processor.is_gpu() && device::count() == 0) throw unsupported(device::absent_reason());
    if (p.overlap && p.split.points() == 1)
        throw usage_error("overlap=yes: one rank has nothing to exchange");
    const style& row = cases::style_of(styles(), p.style, p.processor);
    if (p.split.points() > 1) return run_on_ranks(p, row);
    if (p.processor.is_gpu()) device::use(p.processor.number);
    return row.on(p.processor)(p);
}

}  // namespace watari::himeno
