/// Sum of the seconds that a GPU worked in a stream, measured by events around each piece of work.
#pragma once

#include "watari/core/device.hpp"

namespace watari::storage {

class gpu_stopwatch {
public:
    explicit gpu_stopwatch(device::waiting how = device::waiting::awake) : last_(how) {}

    void start(stream_t stream) { first_.record(stream); }

    /// Waits for the work that was put into the stream since `start`.
    void stop(stream_t stream) {
        last_.record(stream);
        last_.wait();
        seconds_ += device::event::seconds(first_, last_);
    }

    double seconds() const noexcept { return seconds_; }

private:
    device::event first_, last_;
    double seconds_ = 0;
};

}  // namespace watari::storage
