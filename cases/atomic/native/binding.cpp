// Case atomic.
#include "atomic.hpp"
#include "python/case.hpp"

static const binding bindings([](nb::module_& module) {
    bind_case(module, "atomic", watari::counting::run, "One trial of case `atomic`.");
});
