#include "lattice.hpp"

#include "ranks/ranks.hpp"
#include "styles.hpp"
#include "watari/core/error.hpp"

namespace watari::lattice {

namespace {

void require_sense(const parameters& p) {
    for (unsigned direction = 0; direction < 4; ++direction)
        if (extent(p.size, direction) < 2 || extent(p.size, direction) % 2 != 0)
            throw usage_error("lattice: extents are even, 2 or more");
        else if (extent(p.split, direction) < 1)
            throw usage_error("split: 1 rank or more along each direction");
    if (p.size.half() > std::size_t{1} << 31) throw usage_error("lattice: at most 2^32 sites");
    if (p.links != 18 && p.links != 12)
        throw usage_error("links: 18 or 12 real numbers are stored of each");
    if (p.rhs < 1 || p.rhs > 12) throw usage_error("rhs: 1 to 12 right-hand sides");
    if (p.iterations < 1) throw usage_error("iterations: at least 1");
}

}  // namespace

measure::trial run(const parameters& p) {
    require_sense(p);
    if (p.processor.is_gpu() && device::count() == 0) throw unsupported(device::absent_reason());
    if (p.overlap && p.split.sites() == 1)
        throw usage_error("overlap=yes: one rank has nothing to exchange");
    const style& row = cases::style_of(styles(), p.style, p.processor);
    if (p.split.sites() > 1) return run_on_ranks(p, row);
    if (p.processor.is_gpu()) device::use(p.processor.number);
    return row.on(p.processor)(p);
}

}  // namespace watari::lattice
