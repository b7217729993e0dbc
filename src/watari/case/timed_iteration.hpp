/// Times iterations one after the other; each iteration is a sample.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/clock.hpp"
#include "watari/measure/trial.hpp"

#include <optional>

namespace watari::cases {

class timed_iteration {
public:
    timed_iteration(measure::trial& into, processor who, stream_t stream)
        : trial_(&into), stream_(stream) {
        if (!who.is_gpu()) return;
        first_.emplace();
        last_.emplace();
    }

    /// Times one iteration. `work` starts the processor's work and may return before a GPU is done;
    /// `finish` runs after the GPU is done.
    template <class Work, class Finish>
    void operator()(const Work& work, const Finish& finish) {
        const double start = measure::now();
        if (trial_->host_s.empty()) trial_->first_sample = start;
        if (first_) first_->record(stream_);
        work();
        if (first_) {
            last_->record(stream_);
            device::synchronize(stream_);
        }
        finish();
        trial_->host_s.push_back(measure::now() - start);
        if (first_) trial_->device_s.push_back(device::event::seconds(*first_, *last_));
    }

private:
    measure::trial* trial_;
    stream_t stream_;
    std::optional<device::event> first_, last_;
};

/// The first iteration is the phase `first`; the others are `rest` where pages may migrate,
/// elsewhere `steady`.
inline void name_phases(measure::trial& into, bool migrates) {
    const std::size_t samples = into.host_s.size();
    into.phases = {{"first", 0, 1}};
    if (samples > 1) into.phases.push_back({migrates ? "rest" : "steady", 1, samples});
}

}  // namespace watari::cases
