#include "arrays.hpp"

#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/measure/copy.hpp"
#include "watari/measure/pattern.hpp"
#include "watari/memory/move.hpp"

namespace watari::cases {

namespace {

void warm_up(processor who) {
    constexpr std::size_t few = 1025;  // odd: runs the tail, too
    const memory::kind kind = memory::local_kind(who);
    const array from(kind, few, {.device = who.number});
    const array to(kind, few, {.device = who.number});
    fill(from, who, source_seed);
    const measure::copy_kernels& run = kernels_on<measure::copy_kernels>(who);
    run.copy(to.data(), from.data(), few, nullptr);
    run.copy(to.data() + 1, from.data(), few - 1, nullptr);
    run.copy_both(to.data(), from.data(), to.data(), from.data(), few, nullptr);
    run.read(to.data(), few, nullptr);
    kernels_on<measure::pattern_kernels>(who).mismatches(from.data(), few, source_seed, nullptr);
}

}  // namespace

std::size_t elements(std::size_t size) {
    if (size < sizeof(double)) throw usage_error("size: at least 8 bytes, one double");
    return size / sizeof(double);
}

void require_placement(const placed_parameters& p, std::initializer_list<memory::kind> kinds) {
    const memory::placement asked{.numa_node = p.numa_node, .thp = p.thp, .page = p.page};
    if (!asked.places_pages()) return;
    bool on_cpu = false;
    for (const memory::kind kind : kinds) {
        if (kind == memory::kind::managed)
            throw unsupported("managed memory has no numa, thp or page: the driver places it");
        on_cpu |= memory::row(kind).placed;
    }
    if (!on_cpu) throw unsupported("numa, thp and page are for CPU memory, not for device memory");
}

void prepare(measure::trial& into, const common& p, processor who) {
    cpu::set_threads(p.threads);
    const cpu::team team = cpu::current_team();
    into.quantities["threads"] = {static_cast<double>(team.threads), "1"};
    into.quantities["threads_pinned"] = {team.pinned ? 1.0 : 0.0, "1"};
    warm_up(who);
}

processor toucher(const memory::block& range, processor preferred) {
    if (range.kind().shared) return preferred;
    return range.kind().cpu_can_address ? the_cpu : gpu_number(range.device());
}

void fill(const array& data, processor who, std::uint64_t seed) {
    kernels_on<measure::pattern_kernels>(who).fill(data.data(), data.size(), seed, nullptr);
    memory::wait(who);
}

memory::residency look(const array& data, memory::hint hint) {
    return memory::locate(data.block(), hint != memory::hint::mapped);
}

void verify(measure::trial& into, const array& data, processor who, std::uint64_t seed) {
    into.wrong_elements += kernels_on<measure::pattern_kernels>(who).mismatches(
        data.data(), data.size(), seed, nullptr);
}

processor other(processor who) { return who.is_gpu() ? the_cpu : gpu_number(0); }

}  // namespace watari::cases
