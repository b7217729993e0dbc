// Case latency.
#include "latency.hpp"
#include "python/pages.hpp"

static const binding bindings([](nb::module_& module) {
    bind_case(module, "latency", watari::latency::run,
              "One trial of case `latency`; `steps` is how many loads a sample has.", settle_pages);
});
