// Cases copy, access, migration and touch.
#include "memory.hpp"
#include "python/pages.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/memory/hint.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace {

using namespace watari;

cases::memory_end end_named(std::string_view word) {
    return {memory::row(word.substr(0, word.find(':'))).kind, number_in(word)};
}

/// Parses `local`, the number of a node, or `gpu` for the node that is a GPU's memory. Throws
/// unsupported.
int numa_named(const std::string& word) {
    if (word == "local") return -1;
    if (word != "gpu") return std::stoi(word);
    const std::set<int> nodes = device::numa_nodes();
    if (nodes.empty()) throw unsupported("numa=gpu: no GPU's memory is a NUMA node here");
    return *nodes.begin();
}

/// Reads the parameters that all of these cases have.
template <class Parameters>
Parameters with_placement(const nb::dict& p) {
    auto result = with_common<Parameters>(p);
    result.numa_node = numa_named(text(p, "numa"));
    take_pages(result, p);
    return result;
}

cases::copy_parameters copy_parameters(const nb::dict& p) {
    auto result = with_placement<cases::copy_parameters>(p);
    result.processor = processor_named(text(p, "processor"));
    result.from = end_named(text(p, "from"));
    result.to = end_named(text(p, "to"));
    result.copy_engine = chosen<bool>(text(p, "means"), {{"kernel", false}, {"copy-engine", true}});
    result.streams = nb::cast<int>(p["streams"]);
    result.bidirectional = nb::cast<bool>(p["bidirectional"]);
    result.ordinary_stores =
        chosen<bool>(text(p, "stores"), {{"default", false}, {"ordinary", true}});
    return result;
}

cases::access_parameters access_parameters(const nb::dict& p) {
    auto result = with_placement<cases::access_parameters>(p);
    result.processor = processor_named(text(p, "processor"));
    const std::string memory = text(p, "memory");
    if (memory != "explicit") result.kind = memory::row(memory).kind;
    result.hint = memory::hint_named(text(p, "hint"));
    result.source = processor_named(text(p, "source")).kind;
    result.destination = processor_named(text(p, "destination")).kind;
    return result;
}

cases::migration_parameters migration_parameters(const nb::dict& p) {
    auto result = with_placement<cases::migration_parameters>(p);
    result.kind = memory::row(text(p, "memory")).kind;
    result.hint = memory::hint_named(text(p, "hint"));
    result.map = number(p, "map");
    result.look_at_all = text(p, "look") == "samples";
    const std::string phases = text(p, "phases");
    for (std::size_t first = 0; first < phases.size();) {
        const std::size_t plus = std::min(phases.find('+', first), phases.size());
        result.phases.push_back(processor_named(phases.substr(first, plus - first)));
        first = plus + 1;
    }
    return result;
}

cases::touch_parameters touch_parameters(const nb::dict& p) {
    auto result = with_placement<cases::touch_parameters>(p);
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
