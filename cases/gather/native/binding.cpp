// Case gather.
#include "gather.hpp"
#include "python/pages.hpp"

static const binding bindings([](nb::module_& module) {
    bind_case(module, "gather", watari::gather::run, "One trial of case `gather`.", settle_pages);
});
