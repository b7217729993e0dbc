// Case `lattice` for Python.
#include "lattice.hpp"
#include "python/case.hpp"

static const binding bindings([](nb::module_& module) {
    bind_case(module, "lattice", watari::lattice::run,
              "One trial of case `lattice`; `lattice` is the extents along x, y, z, t, `split` the "
              "ranks along them. With several ranks every rank calls it.");
});
