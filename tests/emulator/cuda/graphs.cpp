// Graphs: made by captures (captures.cpp) or node by node; an executable graph is a copy.
#include "captures.hpp"
#include "kernels.hpp"
#include "observe.hpp"
#include "streams.hpp"

namespace fake {
namespace {

// A node as programs hold it: its number, from 1.
void* handle(std::size_t node) { return reinterpret_cast<void*>(node + 1); }
std::size_t number(const void* node) { return bits(node) - 1; }

result add(void** node, void* to, void* const* after, std::size_t count, queue::operation work) {
    auto& all = static_cast<graph*>(to)->all;
    graph::node made{std::move(work), {}};
    for (std::size_t i = 0; i < count; ++i) made.after.push_back(number(after[i]));
    all.push_back(std::move(made));
    *node = handle(all.size() - 1);
    return success;
}

// CUDA_KERNEL_NODE_PARAMS_v2
struct kernel_parameters {
    void* function;
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared;
    void** arguments;
};
struct host_parameters {
    void (*function)(void*);
    void* data;
};

queue::list launch(executable& graph, const queue::list& entry, std::uint32_t stream) {
    queue::list made;
    std::vector<bool> is_followed(graph.made.all.size());
    std::vector<queue::pointer> own(graph.made.all.size());
    // nodes may be added in any order of their numbers
    for (std::size_t left = own.size(); left > 0;)
        for (std::size_t i = 0; i < own.size(); ++i) {
            const graph::node& node = graph.made.all[i];
            bool is_possible = !own[i];
            for (const auto before : node.after) is_possible = is_possible && own[before];
            if (!is_possible) continue;
            queue::list after = node.after.empty() ? entry : queue::list{};
            for (const auto before : node.after) {
                after.push_back(own[before]);
                is_followed[before] = true;
            }
            own[i] = queue::submit(node.work, after, stream);
            --left;
        }
    for (std::size_t i = 0; i < own.size(); ++i)
        if (!is_followed[i]) made.push_back(own[i]);
    return made;
}

}  // namespace
}  // namespace fake

using namespace fake;

FAKE result cuGraphCreate(void** made, unsigned) {
    *made = new graph;
    return success;
}

FAKE result cuGraphDestroy(void* destroyed) {
    delete static_cast<graph*>(destroyed);
    return success;
}

FAKE result cuGraphAddKernelNode_v2(void** node, void* to, void* const* after, std::size_t count,
                                    const kernel_parameters* p) {
    return add(node, to, after, count,
               kernel_operation(p->function, std::uint64_t{p->grid_x} * p->grid_y * p->grid_z,
                                std::uint64_t{p->block_x} * p->block_y * p->block_z, p->arguments));
}

FAKE result cuGraphAddHostNode(void** node, void* to, void* const* after, std::size_t count,
                               const host_parameters* p) {
    const host_parameters given = *p;
    return add(node, to, after, count,
               {.what = queue::operation::kind::host, .act = [=] { given.function(given.data); }});
}

FAKE result cuGraphAddEmptyNode(void** node, void* to, void* const* after, std::size_t count) {
    return add(node, to, after, count, {});
}

FAKE result cuGraphAddDependencies(void* graph_of, void* const* from, void* const* to,
                                   std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        static_cast<graph*>(graph_of)->all[number(to[i])].after.push_back(number(from[i]));
    return success;
}

FAKE result cuGraphGetNodes(void* asked, void** nodes, std::size_t* count) {
    const auto& all = static_cast<graph*>(asked)->all;
    for (std::size_t i = 0; nodes && i < std::min(*count, all.size()); ++i) nodes[i] = handle(i);
    if (!nodes) *count = all.size();
    return success;
}

FAKE result cuGraphInstantiateWithFlags(void** made, void* from, unsigned long long) {
    if (!from) return invalid_value;
    *made = new executable{*static_cast<graph*>(from), {}};
    return success;
}

FAKE result cuGraphExecDestroy(void* destroyed) {
    delete static_cast<executable*>(destroyed);
    return success;
}

FAKE result cuGraphLaunch(void* launched, void* stream) {
    return observed("cuGraphLaunch", {bits(launched), bits(stream)}, [&] {
        auto& graph = *static_cast<executable*>(launched);
        auto& to = stream_of(stream);
        if (to.captures) return breaks(to.captures);  // a graph in a graph
        auto entry = ready(to);
        entry.insert(entry.end(), graph.last.begin(), graph.last.end());
        auto ends = launch(graph, entry, to.number);
        if (!ends.empty()) to.tail = graph.last = std::move(ends);
        return success;
    });
}
