#include "work.hpp"

namespace watari::lattice {

namespace {

template <class Real>
operands<Real> given_arrays(const fields& f, const parameters& p, krylov::arena& from) {
    return {numbers<Real>(f.links), numbers<Real>(f.clover),
            from.take<complex<Real>>(p.rhs * p.size.half() * spinor)};
}

std::size_t solver_bytes_of(const fields& f, const parameters& p) {
    if (p.arithmetic == arithmetic::single_precision)
        return krylov::bicgstab_bytes(problem_of<float>(f, p));
    if (p.arithmetic == arithmetic::mixed)
        return krylov::bicgstab_mixed_bytes(problem_of<double>(f, p), {});
    return krylov::bicgstab_bytes(problem_of<double>(f, p));
}

}  // namespace

work_areas::work_areas(const fields& f, const parameters& p, krylov::arena& from)
    : sums(from.take<double>(scratch(p))) {
    if (p.arithmetic == arithmetic::single_precision)
        narrow = given_arrays<float>(f, p, from);
    else
        wide = given_arrays<double>(f, p, from);
    if (p.arithmetic == arithmetic::mixed) {
        const std::size_t half = p.size.half();
        narrow = {from.take<complex<float>>(8 * half * (p.links / 2)),
                  from.take<complex<float>>(2 * half * packed),
                  from.take<complex<float>>(p.rhs * half * spinor)};
    }
    solver_bytes = solver_bytes_of(f, p);
    solver = from.take<std::byte>(solver_bytes);
}

std::size_t work_bytes(const parameters& p) {
    krylov::arena counted;
    const work_areas areas({}, p, counted);
    return counted.used();
}

}  // namespace watari::lattice
