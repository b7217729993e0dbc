// Case deep.
#include "deep.hpp"
#include "python/case.hpp"
#include "python/styles.hpp"
#include "styles.hpp"

static const binding bindings([](nb::module_& module) {
    bind_case(module, "deep", watari::deep::run, "One trial of case `deep`.");
    module.attr("DEEP_STYLES") = rows_of(watari::deep::styles());
});
