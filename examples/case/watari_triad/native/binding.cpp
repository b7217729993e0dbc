#include "python/case.hpp"
#include "triad.hpp"

static const binding bindings([](nb::module_& module) {
    bind_case(module, "triad", triad::run, "One trial of case `triad`.");
});
