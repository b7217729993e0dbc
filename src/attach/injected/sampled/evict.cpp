// Before the first launches of each kernel all managed memory is moved: schedule.hpp has the
// placements. The hooks of a launch take turns: launches of other threads during a sampled launch
// are not sampled.
#include "evict.hpp"

#include "../calls/launches.hpp"
#include "../records/activity.hpp"
#include "../records/amounts.hpp"
#include "../records/writer.hpp"
#include "managed.hpp"
#include "placed.hpp"
#include "sample.hpp"
#include "schedule.hpp"
#include "spending.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace watari::attach::evict {
namespace {

constexpr std::uint64_t least_wait = 1'000'000'000;  // ns, for a sampled launch
constexpr std::uint64_t shares = 4;  // a mapped launch may take this part of the time left

constexpr std::size_t most_moved = 2048;  // allocations: each costs some 10 calls of the driver

unsigned launches_of_each = 0;
std::optional<placement> only_placement;
spending time_spent;
thread_local bool evicting = false;
thread_local bool is_sampling = false;  // between the two callbacks of a sampled launch

struct state {
    std::atomic<bool> is_busy{false};  // a thread evicts, measures or returns memory: it owns
                                       // everything below
    schedule plan{launches_of_each, only_placement};
    std::string kernel;                                    // of the launch that is sampled
    std::optional<schedule::chosen> chosen;                // for it
    std::variant<std::monostate, sample, placed> current;  // until the next launch
    bool is_away = false;     // memory that kernels need may be on the CPU
    bool was_mapped = false;  // all of it is on the CPU
    bool waits = true;        // no sampled kernel has waited for the program
    std::size_t room = 0;     // of the GPU while all memory was on the CPU
    double rate = 0;          // of the link, bytes/ns; 0: not known yet
    std::uint64_t begun = 0;  // of the sampled launch, with its eviction
};

state& shared() {  // never destroyed: threads of the program launch kernels until it has ended
    static auto* all = new state;
    return *all;
}

std::uint64_t left() { return time_spent.left(writer::now()); }

double spent_share() { return time_spent.share(writer::now()); }

void say_unplaced(std::string_view kernel, const std::string& why) {
    writer::note("unplaced", writer::intern("name", kernel), why);
}

bool is_communication(std::string_view kernel) {
    return kernel.find("nccl") != kernel.npos || kernel.find("nvshmem") != kernel.npos;
}

void learn_room() {
    std::size_t room = 0;
    std::size_t total = 0;
    const bool is_known =
        driver().memory_info && driver().memory_info(&room, &total) == CUDA_SUCCESS;
    shared().room = is_known ? room : 0;
}

// Whether a placement is possible; otherwise it is refused for launches alike, with the reason.
bool is_possible(const schedule::chosen& one, std::string_view kernel, std::size_t bytes) {
    auto& all = shared();
    std::string why;
    const double bound = all.rate > 0 ? static_cast<double>(one.alike->bytes) / all.rate : 0;
    const auto share = static_cast<double>(left()) / shares;
    if (one.where == placement::local && all.room == 0)
        learn_room();  // nothing was moved before: what the GPU has of the memory does not count
    if (one.where != placement::touched && !all.waits) {
        why = "a launch that was sampled did not end in its time";
    } else if (one.where == placement::local && bytes > all.room) {
        why = "local: " + amount(static_cast<double>(bytes) * 1e-9, "GB") + " do not fit in the " +
              amount(static_cast<double>(all.room) * 1e-9, "GB") + " of the GPU";
    } else if (one.where == placement::mapped && bound > share) {
        why = "mapped: a launch takes " + seconds(bound) + " over the link at least, and " +
              seconds(share) + " were left for it";
    }
    if (!why.empty()) {
        one.alike->is_refused[static_cast<std::size_t>(one.where)] = true;
        say_unplaced(kernel, why);
    }
    return why.empty();
}

// The placement of a launch; nothing if it is not sampled.
std::optional<schedule::chosen> choose(std::string_view kernel, const launch& of) {
    auto& plan = shared().plan;
    if (of.is_cooperative || is_communication(kernel)) {
        if (plan.exclude(kernel)) {
            say_unplaced(kernel, of.is_cooperative ? "its launches are cooperative"
                                                   : "it waits for other processes");
        }
        return std::nullopt;
    }
    plan.begin(kernel, of.threads);
    auto found = plan.next(kernel, of.threads, spent_share());
    if (found) {
        const auto bytes = managed::bytes();
        while (found && !is_possible(*found, kernel, bytes)) {
            found = plan.next(kernel, of.threads, spent_share());
        }
    }
    if (found) {
        plan.take(kernel, *found);
    } else if (plan.is_cut(kernel, spent_share())) {
        writer::write({.what = kind::unsampled,
                       .detail = plan.touched(kernel),
                       .start = writer::now(),
                       .name = writer::intern("name", kernel)});
    }
    return found;
}

// Ends the last sample before the next launch: writes to read-mostly pages take seconds per GiB.
void end_current() {
    auto& current = shared().current;
    if (const auto* one = std::get_if<sample>(&current)) {
        end_sample(*one);
    } else if (const auto* other = std::get_if<placed>(&current)) {
        end_placed(*other);
    }
    current = std::monostate{};
}

// The memory to move before a launch.
managed_memory to_move(std::uint32_t correlation) {
    auto found = managed::largest(most_moved);
    if (found.left_out) {
        writer::write({.what = kind::unmoved,
                       .detail = static_cast<std::uint32_t>(found.left_out),
                       .start = writer::now(),
                       .bytes = found.left_bytes,
                       .correlation = correlation});
    }
    return std::move(found.memory);
}

void evict_before(const CUpti_CallbackData& data, CUstream stream, CUdevice device) {
    auto& all = shared();
    driver().context_synchronize();
    all.begun = writer::now();
    take_some();  // so that a run that is killed keeps these records
    end_current();
    const auto memory = to_move(data.correlationId);
    const auto where = all.chosen->where;
    if (where == placement::touched || where == placement::faulting) {
        const bool shows_writes = where == placement::touched;
        all.current = begin_sample(memory, stream, device, data.correlationId,
                                   shows_writes ? std::optional{all.chosen->number} : std::nullopt);
        if (!shows_writes) record_unified_memory(false);
    } else {
        auto one = begin_placed(memory, stream, device, data.correlationId, where);
        if (where == placement::local && all.was_mapped && one.moving > 0) {
            all.rate = std::max(all.rate,
                                static_cast<double>(one.bytes) / static_cast<double>(one.moving));
        }
        all.current = std::move(one);
    }
    all.was_mapped = where == placement::mapped;
    all.is_away = where != placement::local;
    if (all.is_away) learn_room();
}

bool measure_placed(const placed& one, std::uint64_t time, std::uint64_t deadline) {
    auto& all = shared();
    const auto share = left() / shares;
    const auto ended = wait_for(one, time + share, deadline);
    if (ended == outcome::stopped) {
        all.chosen->alike->is_refused[static_cast<std::size_t>(placement::mapped)] = true;
        say_unplaced(all.kernel, "mapped: a launch took more than " +
                                     seconds(static_cast<double>(share)) +
                                     ", the share of the time left");
    }
    return ended != outcome::unended;
}

// Waits before the program can touch the pages: the launch returns after the kernel has ended. A
// kernel that waits for the program's next step costs half of the remaining time, once.
void measure_after() {
    if (!is_sampling) return;
    auto& all = shared();
    const auto time = writer::now();
    time_spent.add(time - all.begun);
    const bool is_unrecorded = all.chosen->where == placement::faulting;
    const auto deadline = time + std::max(left() / 2, least_wait);
    if (auto* one = std::get_if<sample>(&all.current); one && all.waits) {
        all.waits = measure(*one, deadline);
        all.chosen->alike->bytes = std::max(all.chosen->alike->bytes, one->touched);
    } else if (const auto* other = std::get_if<placed>(&all.current); other && all.waits) {
        all.waits = measure_placed(*other, time, deadline);
    }
    if (is_unrecorded) record_unified_memory(true);
    if (all.waits && all.chosen->where != placement::touched)
        end_current();  // with read-mostly memory, writes of the CPU are seen until the next launch
    time_spent.add(writer::now() - time);
    is_sampling = false;
    all.is_busy = false;
}

// Returns memory to the GPU, as far as there is room, before a launch that is not sampled: faults
// are far slower than a prefetch. Waits first for the sampled launch, whose faults must be its own.
void give_back(CUstream stream, CUdevice device) {
    auto& all = shared();
    driver().context_synchronize();
    const auto begun = writer::now();
    take_some();
    end_current();
    std::size_t room = all.room;
    for (const auto& [pointer, size] : managed::largest(most_moved).memory) {
        if (size <= room && driver().prefetch(pointer, size, device, stream) == CUDA_SUCCESS)
            room -= size;
    }
    driver().context_synchronize();
    time_spent.add(writer::now() - begun);
    all.is_away = all.was_mapped = false;
}

// Nothing may wait while a graph is captured: its kernels are not sampled.
bool is_captured(CUstream stream) {
    CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
    return driver().is_capturing(stream, &capturing) != CUDA_SUCCESS ||
           capturing != CU_STREAM_CAPTURE_STATUS_NONE;
}

void before_launch(const CUpti_CallbackData& data, const launch& of) {
    auto& all = shared();
    if (!driver().prefetch || is_captured(of.stream) || all.is_busy.exchange(true)) return;
    const std::string_view kernel = data.symbolName ? data.symbolName : "unnamed";
    all.chosen = choose(kernel, of);
    const auto device = all.chosen || all.is_away ? current_device() : std::nullopt;
    if (all.chosen && device) {
        all.kernel = kernel;
        evict_before(data, of.stream, *device);
        is_sampling = true;  // and busy
        return;
    }
    if (all.is_away && device) give_back(of.stream, *device);
    all.is_busy = false;
}

}  // namespace

void set_launches(unsigned count, double seconds, std::uint64_t until,
                  std::optional<placement> only) {
    launches_of_each = count;
    only_placement = only;
    time_spent.set_limits(static_cast<std::uint64_t>(seconds * 1e9), until);
}

std::vector<CUpti_CallbackId> calls() {
    if (launches_of_each == 0) {
        return {};
    }
    auto wanted = launch_calls();
    const auto memory = managed::calls();
    wanted.insert(wanted.end(), memory.begin(), memory.end());
    return wanted;
}

bool is_evicting() { return evicting; }

void on_call(CUpti_CallbackId call, const CUpti_CallbackData& data) {
    evicting = true;
    if (const auto of = launch_of(call, data.functionParams)) {
        data.callbackSite == CUPTI_API_ENTER ? before_launch(data, *of) : measure_after();
    } else {
        managed::on_call(call, data);
    }
    if (spent_share() >= 1) leave_new_memory();
    evicting = false;
}

}  // namespace watari::attach::evict
