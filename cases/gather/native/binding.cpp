// Case gather.
#include "gather.hpp"
#include "python/pages.hpp"

namespace {

using namespace watari;

gather::parameters parameters_of(const nb::dict& p) {
    const std::string memory = text(p, "memory");
    auto result = with_common<gather::parameters>(p);
    result.processor = processor_named(text(p, "processor"));
    result.kind = memory::row(memory.substr(0, memory.find(':'))).kind;
    result.device = number_in(memory);
    result.toucher = processor_named(text(p, "source")).kind;
    result.hint = memory::hint_named(text(p, "hint"));
    result.turns = chosen<gather::turns>(text(p, "turns"), {{"none", gather::turns::none},
                                                            {"read", gather::turns::read},
                                                            {"prefetch", gather::turns::prefetch}});
    take_pages(result, p);
    result.element = number(p, "element");
    result.stride = number(p, "stride");
    result.random = chosen<bool>(text(p, "pattern"), {{"random", true}, {"strided", false}});
    return result;
}

void bind(nb::module_& module) {
    bind_case(module, "gather", parameters_of, gather::run, "One trial of case `gather`.");
}

const binding bindings(bind);

}  // namespace
