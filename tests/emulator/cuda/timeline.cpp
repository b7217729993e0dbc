#include "timeline.hpp"

#include <time.h>

#include <map>

#include "observe.hpp"
#include "setting.hpp"

namespace fake::timeline {
namespace {

std::map<std::uint64_t, std::uint64_t> busy[2];  // start and end of reservations, by copy engine

}  // namespace

bool is_on() {
    static const bool on = setting("FAKE_CUDA_KERNEL_US") || setting("FAKE_CUDA_COPY_NS");
    return on;
}

std::uint64_t of_blocks(std::uint64_t blocks) {
    static const auto each = 1000 * setting("FAKE_CUDA_KERNEL_US");
    return blocks * each;
}

std::uint64_t of_bytes(std::size_t bytes) {
    static const auto each = setting("FAKE_CUDA_COPY_NS");
    return bytes * each / 1024;
}

std::uint64_t reserve(engine of, std::uint64_t ready, std::uint64_t takes) {
    if (of != engine::to_gpu && of != engine::to_cpu) return ready;
    auto& taken = busy[of == engine::to_cpu];
    const auto time = now();
    while (!taken.empty() && taken.begin()->second < time) taken.erase(taken.begin());
    for (const auto& [start, end] : taken) {
        if (ready + takes <= start) break;
        if (end > ready) ready = end;
    }
    if (takes) taken[ready] = ready + takes;
    return ready;
}

// Sleeps, and spins at the end: a sleep returns late.
void wait_until(std::uint64_t time) {
    constexpr std::uint64_t late = 200'000;
    if (const auto begun = now(); time > begun + late) {
        const auto takes = time - begun - late;
        const timespec nap{static_cast<time_t>(takes / 1'000'000'000u),
                           static_cast<long>(takes % 1'000'000'000u)};
        nanosleep(&nap, nullptr);
    }
    while (now() < time) {
    }
}

}  // namespace fake::timeline
