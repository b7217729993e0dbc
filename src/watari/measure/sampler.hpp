/// Times executions one by one, on the host's clock and between device events.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/clock.hpp"
#include "watari/measure/hold.hpp"
#include "watari/measure/together.hpp"
#include "watari/measure/trial.hpp"

#include <optional>
#include <vector>

namespace watari::measure {

/// Appends a sample to a trial each time it is called.
class sampler {
public:
    /// `streams` of the GPU take part in each execution; on the CPU there are none. `held`: they
    /// are held until all is enqueued.
    sampler(trial& into, processor who, int streams = 1, bool held = false)
        : trial_(&into), who_(who) {
        if (!who.is_gpu()) return;
        device::use(who.number);
        streams_.resize(static_cast<std::size_t>(streams));
        joined_.resize(streams_.size());
        first_.emplace();
        last_.emplace();
        if (held) hold_.emplace();
    }

    /// Runs work(stream, i) for each stream i (once, with null and 0, on the CPU) and times it
    /// until the last is done. Processes that measure together begin each sample together, and
    /// their clocks run from then on, so that the time to wait for a turn to enqueue counts. Their
    /// streams are not held: a held stream would keep the GPU from the other processes.
    template <class Work>
    void operator()(const Work& work) {
        const std::optional<double> together = wait_for_the_others();
        if (trial_->host_s.empty()) trial_->first_sample = now();
        if (!who_.is_gpu()) {
            const double start = together.value_or(now());
            work(stream_t{}, 0);
            trial_->host_s.push_back(now() - start);
            return;
        }
        device::use(who_.number);  // a stream takes work of its own GPU only
        const bool held = hold_ && !together;
        if (held) hold_->start(main());
        const double start = together.value_or(now());
        enqueue(work);
        if (held) hold_->release();
        device::synchronize(main());
        trial_->host_s.push_back(now() - start);
        trial_->device_s.push_back(device::event::seconds(*first_, *last_));
    }

    /// The stream in which a sample begins and ends.
    stream_t main() const { return streams_.empty() ? nullptr : streams_.front().get(); }

private:
    /// All streams start after `first_`, and `last_` comes after all of them.
    template <class Work>
    void enqueue(const Work& work) {
        first_->record(main());
        for (std::size_t i = 0; i < streams_.size(); ++i) {
            const stream_t stream = streams_[i].get();
            if (i > 0) first_->make_wait(stream);
            work(stream, static_cast<int>(i));
            if (i == 0) continue;
            joined_[i].record(stream);
            joined_[i].make_wait(main());
        }
        last_->record(main());
    }

    trial* trial_;
    processor who_;
    std::vector<device::stream> streams_;
    std::vector<device::event> joined_;
    std::optional<device::event> first_, last_;
    std::optional<hold> hold_;
};

}  // namespace watari::measure
