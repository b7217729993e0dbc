// Case `lattice` for Python.
#include "lattice.hpp"
#include "python/case.hpp"
#include "python/styles.hpp"
#include "styles.hpp"

static const binding bindings([](nb::module_& module) {
    bind_case(module, "lattice", watari::lattice::run,
              "One trial of case `lattice`; `lattice` is the extents along x, y, z, t, `split` the "
              "ranks along them. With several ranks every rank calls it.");
    module.attr("LATTICE_STYLES") = rows_of(watari::lattice::styles());
});
