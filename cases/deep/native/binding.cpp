// Case deep.
#include "deep.hpp"
#include "python/case.hpp"

static const binding bindings([](nb::module_& module) {
    bind_case(module, "deep", watari::deep::run, "One trial of case `deep`.");
});
