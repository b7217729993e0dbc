// Case latency.
#include "latency.hpp"
#include "python/pages.hpp"

namespace {

using namespace watari;

latency::parameters parameters_of(const nb::dict& p) {
    const std::string memory = text(p, "memory");
    latency::parameters result;
    result.processor = processor_named(text(p, "processor"));
    result.kind = memory::row(memory.substr(0, memory.find(':'))).kind;
    result.device = number_in(memory);
    result.size = nb::cast<std::size_t>(p["size"]);
    result.stride = nb::cast<std::size_t>(p["stride"]);
    take_pages(result, p);
    result.samples = nb::cast<std::size_t>(p["samples"]);
    result.steps = nb::cast<std::size_t>(p["steps"]);
    return result;
}

void bind(nb::module_& module) {
    bind_case(module, "latency", parameters_of, latency::run,
              "One trial of case `latency`; `steps` is how many loads a sample has.");
}

const binding bindings(bind);

}  // namespace
