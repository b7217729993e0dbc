/// Seconds that a GPU worked in a stream, by events around the work, summed up over several turns.
/// Who waits sleeps: the cores are those of threads that serve the GPU.
#pragma once

#include "watari/core/device.hpp"

namespace watari::storage {

class gpu_stopwatch {
public:
    void start(stream_t stream) { first_.record(stream); }

    /// Waits for what was put into the stream since `start`.
    void stop(stream_t stream) {
        last_.record(stream);
        last_.wait();
        seconds_ += device::event::seconds(first_, last_);
    }

    double seconds() const noexcept { return seconds_; }

private:
    device::event first_{device::waiting::asleep}, last_{device::waiting::asleep};
    double seconds_ = 0;
};

}  // namespace watari::storage
