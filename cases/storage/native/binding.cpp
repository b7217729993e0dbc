// Case storage.
#include "python/case.hpp"
#include "storage.hpp"

static const binding bindings([](nb::module_& module) {
    bind_case(
        module, "storage", watari::cases::storage,
        "One trial of case `storage`; `folder` is where its files lie, `seed` makes the order.");
});
