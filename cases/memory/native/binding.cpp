// Cases copy, access, migration and touch.
#include "memory.hpp"
#include "python/pages.hpp"

static const binding bindings([](nb::module_& module) {
    using namespace watari;
    bind_case(module, "copy", cases::copy, "One trial of case `copy`.", settle_pages);
    bind_case(module, "access", cases::access, "One trial of case `access`.", settle_pages);
    bind_case(module, "migration", cases::migration, "One trial of case `migration`.",
              settle_pages);
    bind_case(module, "touch", cases::touch, "One trial of case `touch`.", settle_pages);
});
