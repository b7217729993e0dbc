// Case deep.
#include "deep.hpp"
#include "python/case.hpp"
#include "python/styles.hpp"
#include "styles.hpp"

namespace {

using namespace watari;

deep::parameters parameters_of(const nb::dict& p) {
    deep::parameters result;
    result.processor = processor_named(text(p, "processor"));
    result.style = text(p, "style");
    result.depth = nb::cast<unsigned>(p["depth"]);
    result.size = number(p, "size");
    result.samples = number(p, "samples");
    result.threads = nb::cast<int>(p["threads"]);
    return result;
}

void bind(nb::module_& module) {
    bind_case(module, "deep", parameters_of, deep::run, "One trial of case `deep`.");
    module.attr("DEEP_STYLES") = rows_of(deep::styles());
}

const binding bindings(bind);

}  // namespace
