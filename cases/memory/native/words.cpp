#include "memory.hpp"

#include "watari/core/device.hpp"
#include "watari/core/error.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace watari::cases {

memory_end end_named(std::string_view word) { return {kind_named(word), gpu_number_in(word)}; }

std::optional<memory::kind> shared_kind_named(std::string_view word) {
    if (word == "explicit") return {};
    return kind_named(word);
}

std::vector<processor> processors_named(std::string_view words) {
    std::vector<processor> result;
    for (std::size_t first = 0; first < words.size();) {
        const std::size_t plus = std::min(words.find('+', first), words.size());
        result.push_back(processor_named(words.substr(first, plus - first)));
        first = plus + 1;
    }
    return result;
}

int numa_node_named(std::string_view word) {
    if (word == "local") return -1;
    if (word != "gpu") return std::stoi(std::string(word));
    const std::set<int> nodes = device::numa_nodes();
    if (nodes.empty()) throw unsupported("numa=gpu: no GPU's memory is a NUMA node here");
    return *nodes.begin();
}

}  // namespace watari::cases
