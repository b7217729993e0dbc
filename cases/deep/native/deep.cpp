// Case `deep`. The CPU builds the tree, node by node; the style brings it to the processor; every
// sample is a pass over all nodes; the style brings it back, and the CPU checks it.
#include "deep.hpp"

#include "kernels.hpp"
#include "styles.hpp"
#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/measure/sampler.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/memory/move.hpp"
#include "watari/memory/room.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace watari::deep {

namespace {

constexpr unsigned deepest = 20;

/// Runs the kernel on a tree of one node in the processor's own memory, so that the first sample
/// does not load code.
void warm_up(processor who) {
    constexpr shape one{.depth = 1, .each = 1};
    const memory::kind kind = memory::local_kind(who);
    const memory::buffer<double> data(kind, one.each, {.device = who.number});
    const memory::buffer<node> root(kind, 1, {.device = who.number});
    const node made{{nullptr, nullptr}, data.data(), one.each};
    const double value = 0;
    memory::copy(who, root.data(), &made, sizeof made, nullptr);
    memory::copy(who, data.data(), &value, sizeof value, nullptr);
    kernels_on<kernels>(who).add_one(root.data(), one, nullptr);
    memory::wait(who);
}

void prepare(measure::trial& into, const parameters& p, std::span<const memory::kind> kinds) {
    const shape s = p.tree();
    std::vector<memory::demand> demands;
    for (const memory::kind kind : kinds)
        demands.push_back(
            {kind, s.bytes() + s.nodes() * sizeof(node), {.device = p.processor.number}});
    memory::require_room(demands, "choose a smaller size");
    cpu::set_threads(p.threads);
    const cpu::team team = cpu::current_team();
    into.quantities["threads"] = {static_cast<double>(team.threads), "1"};
    into.quantities["threads_pinned"] = {team.pinned ? 1.0 : 0.0, "1"};
    into.quantities["nodes"] = {static_cast<double>(s.nodes()), "1"};
    warm_up(p.processor);
}

}  // namespace

shape parameters::tree() const {
    if (depth < 1 || depth > deepest)
        throw usage_error("depth: 1 to " + std::to_string(deepest) + " levels");
    const std::size_t nodes = shape{depth, 0}.nodes();
    const shape made{depth, size / sizeof(double) / nodes};
    if (made.each == 0)
        throw usage_error("size: at least 8 bytes for each of " + std::to_string(nodes) + " nodes");
    return made;
}

void prepare(measure::trial& into, const parameters& p, memory::kind first) {
    prepare(into, p, {&first, 1});
}

void prepare(measure::trial& into, const parameters& p, memory::kind first, memory::kind second) {
    const memory::kind kinds[] = {first, second};
    prepare(into, p, kinds);
}

void iterate(measure::trial& into, const parameters& p, const node* root) {
    const kernels& run = kernels_on<kernels>(p.processor);
    const shape s = p.tree();
    measure::sampler sample(into, p.processor);
    for (std::size_t i = 0; i < p.samples; ++i)
        sample([&](stream_t stream, int) { run.add_one(root, s, stream); });
}

void read_result(measure::trial& into, const parameters& p, const node* root) {
    into.wrong_elements += mismatches(root, p.tree(), p.samples);
}

measure::trial run(const parameters& p) {
    const style& program = cases::style_of(styles(), p.style, p.processor);
    if (p.processor.is_gpu()) {
        device::use(p.processor.number);
        memory::require_access(memory::row(program.field), p.processor);
    }
    return program.on(p.processor)(p);
}

}  // namespace watari::deep
