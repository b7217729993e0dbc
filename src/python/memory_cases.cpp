// Cases copy, access, migration and touch.
#include "case.hpp"
#include "watari/cases/memory/memory.hpp"
#include "watari/memory/hint.hpp"

#include <algorithm>

namespace {

using namespace watari;

cases::memory_end end_named(std::string_view word) {
    return {memory::row(word.substr(0, word.find(':'))).kind, number_in(word)};
}

cases::copy_parameters copy_parameters(const nb::dict& p) {
    auto result = with_common<cases::copy_parameters>(p);
    result.processor = processor_named(text(p, "processor"));
    result.from = end_named(text(p, "from"));
    result.to = end_named(text(p, "to"));
    result.copy_engine = chosen<bool>(text(p, "means"), {{"kernel", false}, {"copy-engine", true}});
    result.streams = nb::cast<int>(p["streams"]);
    result.bidirectional = nb::cast<bool>(p["bidirectional"]);
    const std::string numa = text(p, "numa");
    result.numa_node = numa == "local" ? -1 : std::stoi(numa);
    result.thp =
        chosen<memory::huge_pages>(text(p, "thp"), {{"default", memory::huge_pages::as_set},
                                                    {"always", memory::huge_pages::always},
                                                    {"never", memory::huge_pages::never}});
    return result;
}

cases::access_parameters access_parameters(const nb::dict& p) {
    auto result = with_common<cases::access_parameters>(p);
    result.processor = processor_named(text(p, "processor"));
    const std::string memory = text(p, "memory");
    if (memory != "explicit") result.kind = memory::row(memory).kind;
    result.hint = memory::hint_named(text(p, "hint"));
    result.source = processor_named(text(p, "source")).kind;
    result.destination = processor_named(text(p, "destination")).kind;
    return result;
}

cases::migration_parameters migration_parameters(const nb::dict& p) {
    auto result = with_common<cases::migration_parameters>(p);
    result.kind = memory::row(text(p, "memory")).kind;
    result.hint = memory::hint_named(text(p, "hint"));
    const std::string phases = text(p, "phases");
    for (std::size_t first = 0; first < phases.size();) {
        const std::size_t plus = std::min(phases.find('+', first), phases.size());
        result.phases.push_back(processor_named(phases.substr(first, plus - first)));
        first = plus + 1;
    }
    return result;
}

cases::touch_parameters touch_parameters(const nb::dict& p) {
    auto result = with_common<cases::touch_parameters>(p);
    result.processor = processor_named(text(p, "processor"));
    result.kind = memory::row(text(p, "memory")).kind;
    result.operation = chosen<cases::touch_operation>(
        text(p, "operation"), {{"first-touch", cases::touch_operation::first_touch},
                               {"prefetch", cases::touch_operation::prefetch},
                               {"fault", cases::touch_operation::fault}});
    return result;
}

void bind(nb::module_& module) {
    bind_case(module, "copy", copy_parameters, cases::copy, "One trial of case `copy`.");
    bind_case(module, "access", access_parameters, cases::access, "One trial of case `access`.");
    bind_case(module, "migration", migration_parameters, cases::migration,
              "One trial of case `migration`.");
    bind_case(module, "touch", touch_parameters, cases::touch, "One trial of case `touch`.");
}

const binding bindings(bind);

}  // namespace
