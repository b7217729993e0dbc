// Case `latency`. The cycle is made on the host and written into the array by the processor that
// chases, which thus touches shared memory first. None of this is timed, nor is a first chase,
// which loads small arrays into the caches and raises the clock rates. A GPU is timed between
// events around one kernel: its launch, some microseconds, is under 1% of 2^17 steps, which take at
// least 2 ms.
#include "latency.hpp"

#include "cycle.hpp"
#include "kernels.hpp"
#include "watari/core/error.hpp"
#include "watari/core/loops.hpp"
#include "watari/core/threads.hpp"
#include "watari/measure/median.hpp"
#include "watari/measure/sampler.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/memory/move.hpp"
#include "watari/memory/residency.hpp"
#include "watari/memory/room.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace watari::latency {

namespace {

constexpr std::uint64_t seed = 1;

void require_sense(const parameters& p) {
    if (p.stride < sizeof(link) || p.stride % sizeof(link) != 0)
        throw usage_error("stride: a multiple of 8 bytes, one pointer");
    if (p.steps == 0 || p.steps % unrolled != 0)
        throw usage_error("steps: a multiple of " + std::to_string(unrolled));
    const memory::kind_row& row = memory::row(p.kind);
    if (!row.placed && memory::placement{.thp = p.thp, .page = p.page}.places_pages())
        throw unsupported(std::string(row.name) +
                          " memory has no thp or page: the driver chooses its pages");
}

/// Requires direct access to device memory of another GPU.
void require_access(const parameters& p) {
    memory::require_access(memory::row(p.kind), p.processor);
    if (p.kind != memory::kind::device || p.device == p.processor.number) return;
    device::use(p.device);
    device::enable_peer(p.processor.number, p.device);
}

/// Binds this thread to one core, by a team of one thread, as teams of other cases are bound.
void pin(measure::trial& into) {
    cpu::set_threads(1);
    cpu::for_each_part(1, [](std::size_t, std::size_t) {});
    into.quantities["threads_pinned"] = {cpu::current_team().pinned ? 1.0 : 0.0, "1"};
}

memory::placement placed(const parameters& p) {
    return {.device = p.kind == memory::kind::device ? p.device : p.processor.number,
            .thp = p.thp,
            .page = p.page};
}

/// The array, and in its processor's own memory the cycle and the cursor of the chase.
class chased {
public:
    chased(const parameters& p, const cycle& next)
        : who_(p.processor),
          elements_(p.kind, next.size() * p.stride, placed(p)),
          next_(memory::local_kind(who_), next.size(), {.device = who_.number}),
          cursor_(memory::local_kind(who_), 1, {.device = who_.number}),
          chain_{elements_.data(), p.stride, next_.data(), next.size()} {
        const auto* first = reinterpret_cast<const link*>(elements_.data());
        memory::copy_now(who_, next_.data(), next.data(), next.size() * sizeof(next[0]));
        memory::copy_now(who_, cursor_.data(), &first, sizeof first);
        kernels_on<kernels>(who_).install(chain_, nullptr);
        memory::wait(who_);
    }

    void chase(std::size_t steps, stream_t stream) const {
        kernels_on<kernels>(who_).chase(cursor_.data(), steps, stream);
    }

    std::size_t mismatches() const { return kernels_on<kernels>(who_).mismatches(chain_, nullptr); }

    /// The element that the last chase ended at.
    std::size_t reached() const {
        const link* const last = memory::read_back(who_, cursor_.data());
        return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(last) - chain_.first) /
               chain_.stride;
    }

    /// Reads the residency; every page is touched if no stride exceeds a page.
    memory::residency look() const {
        return memory::locate(elements_.block(), chain_.stride <= smallest_page);
    }

private:
    static constexpr std::size_t smallest_page = 4096;

    processor who_;
    memory::buffer<std::byte> elements_;
    memory::buffer<std::uint32_t> next_;
    memory::buffer<const link*> cursor_;
    chain chain_;
};

/// Throws beyond_memory if the array, the cycle on the host and its copy in the processor's memory
/// do not fit together.
void require_room(const parameters& p, std::size_t count) {
    const std::size_t table = count * sizeof(cycle::value_type);
    const memory::demand demands[] = {
        {p.kind, count * p.stride, placed(p)},
        {memory::kind::pageable, table, {}},
        {memory::local_kind(p.processor), table, {.device = p.processor.number}}};
    memory::require_room(demands, "choose a smaller size");
}

/// Steps before the first sample: once through the cycle, but one to four times a sample's steps.
std::size_t first_steps(const parameters& p, std::size_t count) {
    const std::size_t whole = (count + unrolled - 1) / unrolled * unrolled;
    return std::clamp(whole, p.steps, 4 * p.steps);
}

}  // namespace

measure::trial run(const parameters& p) {
    require_sense(p);
    require_access(p);
    const std::size_t count = p.size / p.stride;
    require_room(p, count);

    measure::trial result;
    pin(result);
    const cycle next = random_cycle(count, seed);
    const chased array(p, next);
    result.residency_before = {{"array", array.look()}};
    const std::size_t before = first_steps(p, count);
    array.chase(before, nullptr);
    memory::wait(p.processor);

    measure::sampler sample(result, p.processor);
    for (std::size_t i = 0; i < p.samples; ++i)
        sample([&](stream_t stream, int) { array.chase(p.steps, stream); });

    const auto& seconds = p.processor.is_gpu() ? result.device_s : result.host_s;
    result.quantities["latency_s"] = {measure::median(seconds) / static_cast<double>(p.steps), "s"};
    result.residency_after = {{"array", array.look()}};
    const walk seen = walk_cycle(next, before + p.samples * p.steps);
    result.wrong_elements += array.mismatches();
    result.wrong_elements += seen.length != count || array.reached() != seen.end;
    return result;
}

}  // namespace watari::latency
