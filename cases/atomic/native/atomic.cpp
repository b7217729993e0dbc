// Case `atomic`. Every sample makes the same updates, so each counter must hold samples x its
// updates at the end: a lost update is detected.
#include "atomic.hpp"

#include "kernels.hpp"
#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/measure/median.hpp"
#include "watari/measure/sampler.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/memory/move.hpp"
#include "watari/memory/residency.hpp"
#include "watari/memory/room.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

namespace watari::counting {

namespace {

constexpr std::size_t gpu_workers = std::size_t{1} << 17;  // some GPUs' full set of threads

void require_sense(const parameters& p) {
    if (p.updates == 0) throw usage_error("updates: at least one");
    if (!std::has_single_bit(p.bins)) throw usage_error("bins: a power of two");
    if (p.together && !p.processor.is_gpu())
        throw usage_error("together: name the GPU that joins the CPU's threads, processor=gpu");
}

/// Throws unsupported if both processors cannot update the counters at once. A GPU without atomics
/// over the link changes a word of pinned memory by a read and a write: a CPU update between the
/// two is lost. Managed pages migrate to the processor that updates them, which needs
/// concurrentManagedAccess.
void require_both(const parameters& p) {
    if (!p.together) return;
    memory::require_access(memory::row(p.kind), the_cpu);
    const int number = p.processor.number;
    if (p.kind == memory::kind::pinned &&
        !device::has(device::attribute::host_native_atomic_supported, number))
        throw unsupported(
            "the link has no atomic operations on the CPU's memory (hostNativeAtomicSupported = "
            "0): updates of pinned memory by both processors would be lost");
    if (p.kind == memory::kind::managed &&
        !device::has(device::attribute::concurrent_managed_access, number))
        throw unsupported(
            "the CPU may not touch managed memory while the GPU runs (concurrentManagedAccess = "
            "0)");
}

void require_access(const parameters& p) {
    memory::require_access(memory::row(p.kind), p.processor);
    require_both(p);
    if (p.kind != memory::kind::device || p.device == p.processor.number) return;
    device::use(p.device);
    device::enable_peer(p.processor.number, p.device);
}

/// The counters, and each processor's task.
class counted {
public:
    explicit counted(const parameters& p)
        : who_(p.processor),
          together_(p.together),
          workers_(who_.is_gpu() ? std::min(p.updates, gpu_workers) : threads(p)),
          helpers_(p.together ? threads(p) : 0),
          where_{p.spread, p.spread == contention::histogram ? p.bins : 1, workers_ + helpers_},
          updates_(p.updates),
          counters_(p.kind, where_.words(), placed(p)) {
        kernels_on<kernels>(who_).clear(counters_.data(), counters_.size(), nullptr);
        memory::wait(who_);
    }

    /// Makes the updates of `processor`; on a GPU it returns before they are done.
    void update(stream_t stream) const {
        const kernels& run = kernels_on<kernels>(who_);
        const task work{counters_.data(), where_, updates_, workers_, 0};
        (together_ ? run.add_everywhere : run.add)(work, stream);
    }

    /// Makes the CPU's updates while the GPU makes its own.
    void help() const {
        const task work{counters_.data(), where_, updates_, helpers_, workers_};
        kernels_on<kernels>(the_cpu).add_everywhere(work, nullptr);
    }

    std::size_t updates() const { return (together_ ? 2 : 1) * updates_; }  ///< of a sample
    memory::residency look() const { return memory::locate(counters_.block(), true); }

    /// Returns the number of counters that do not hold the expected sum of all samples.
    std::size_t mismatches(std::size_t samples) const {
        std::vector<std::uint64_t> expected(counters_.size()), found(counters_.size());
        add_to(expected, 0, workers_);
        if (together_) add_to(expected, workers_, helpers_);
        for (std::uint64_t& one : expected) one *= samples;
        read(found);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] != expected[i];
        return wrong;
    }

private:
    static std::size_t threads(const parameters& p) {
        return std::min(p.updates, static_cast<std::size_t>(p.threads));
    }

    memory::placement placed(const parameters& p) const {
        const memory::placement how{.device =
                                        p.kind == memory::kind::device ? p.device : who_.number};
        const memory::demand demands[] = {{p.kind, where_.words() * sizeof(std::uint64_t), how}};
        memory::require_room(demands, "choose fewer bins");
        return how;
    }

    void add_to(std::vector<std::uint64_t>& expected, std::size_t before,
                std::size_t workers) const {
        for (std::size_t worker = 0; worker < workers; ++worker) {
            const part mine = part_of(updates_, worker, workers);
            for (std::size_t i = mine.first; i < mine.last; ++i)
                ++expected[where_(i, before + worker)];
        }
    }

    void read(std::vector<std::uint64_t>& into) const {
        const processor reader = counters_.block().kind().cpu_can_address ? the_cpu : who_;
        memory::copy_now(reader, into.data(), counters_.data(), counters_.block().bytes());
    }

    processor who_;
    bool together_;
    std::size_t workers_, helpers_;
    slots where_;
    std::size_t updates_;
    memory::buffer<std::uint64_t> counters_;
};

/// Takes samples of both processors at once, by the host's clock. The series cpu_s and gpu_s record
/// the seconds until the CPU's updates and then the GPU's are complete.
void sample_both(measure::trial& into, const parameters& p, const counted& data) {
    const device::stream stream;
    measure::sampler sample(into, the_cpu);
    for (std::size_t i = 0; i < p.samples; ++i) {
        double start = 0, cpu = 0, gpu = 0;
        sample([&](stream_t, int) {
            start = measure::now();
            data.update(stream.get());
            data.help();
            cpu = measure::now();
            device::synchronize(stream.get());
            gpu = measure::now();
        });
        into.series["cpu_s"].push_back(cpu - start);
        into.series["gpu_s"].push_back(gpu - start);
    }
}

/// Runs each kernel once on separate counters, so that the first sample does not load code.
void warm_up(parameters p) {
    const processor who = p.processor;
    p.updates = static_cast<std::size_t>(p.threads);
    p.device = who.number;
    for (const processor one : {who, the_cpu}) {
        p.processor = one;
        p.kind = memory::local_kind(one);
        const counted few(p);
        few.update(nullptr);
        if (!one.is_gpu() || !p.together) break;
        device::synchronize(nullptr);
    }
}

}  // namespace

measure::trial run(const parameters& p) {
    require_sense(p);
    require_access(p);
    measure::trial result;
    cpu::set_threads(p.threads);
    const cpu::team team = cpu::current_team();
    result.quantities["threads"] = {static_cast<double>(team.threads), "1"};
    result.quantities["threads_pinned"] = {team.pinned ? 1.0 : 0.0, "1"};
    warm_up(p);
    const counted data(p);
    result.residency_before = {{"counters", data.look()}};
    if (p.together) {
        sample_both(result, p, data);
    } else {
        measure::sampler sample(result, p.processor);
        for (std::size_t i = 0; i < p.samples; ++i)
            sample([&](stream_t stream, int) { data.update(stream); });
    }
    const bool on_gpu = !result.device_s.empty();
    const auto updates = static_cast<double>(data.updates());
    result.quantities["update_s"] = {
        measure::median(on_gpu ? result.device_s : result.host_s) / updates, "s"};
    result.residency_after = {{"counters", data.look()}};
    result.wrong_elements += data.mismatches(p.samples);
    return result;
}

}  // namespace watari::counting
