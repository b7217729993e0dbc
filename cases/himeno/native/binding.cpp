// Case `himeno` for Python.
#include "himeno.hpp"
#include "python/case.hpp"

static const binding bindings([](nb::module_& module) {
    bind_case(module, "himeno", watari::himeno::run,
              "One trial of case `himeno`; `grid` is the points along i, j, k, `split` the ranks "
              "along them. With several ranks every rank calls it.");
});
