// Case atomic.
#include "atomic.hpp"
#include "python/case.hpp"

namespace {

using namespace watari;

counting::parameters parameters_of(const nb::dict& p) {
    using counting::contention;
    const std::string memory = text(p, "memory");
    counting::parameters result;
    result.processor = processor_named(text(p, "processor"));
    result.kind = memory::row(memory.substr(0, memory.find(':'))).kind;
    result.device = number_in(memory);
    result.spread = chosen<contention>(text(p, "contention"), {{"counter", contention::counter},
                                                               {"histogram", contention::histogram},
                                                               {"none", contention::own}});
    result.bins = number(p, "bins");
    result.together = nb::cast<bool>(p["together"]);
    result.updates = number(p, "updates");
    result.samples = number(p, "samples");
    result.threads = nb::cast<int>(p["threads"]);
    return result;
}

void bind(nb::module_& module) {
    bind_case(module, "atomic", parameters_of, counting::run, "One trial of case `atomic`.");
}

const binding bindings(bind);

}  // namespace
