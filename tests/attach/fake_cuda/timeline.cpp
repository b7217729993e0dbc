#include "timeline.hpp"

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#include "observe.hpp"

namespace fake::timeline {
namespace {

struct line {
    std::uint32_t number = 7;  // of the default stream, as CUPTI counts
    bool is_blocking = true;
    std::uint64_t end = 0;
};

std::recursive_mutex lock;
std::map<const void*, line> lines;
std::uint64_t ends[3];  // of kernels, which run side by side, and of each copy engine
thread_local std::vector<operation> added, taken;

std::uint64_t number(const char* name) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : 0;
}

// The legacy default stream waits for all blocking streams, and they for it.
std::uint64_t ready(const void* stream) {
    std::uint64_t time = lines[stream].end;
    if (!stream) {
        for (const auto& [other, row] : lines)
            if (row.is_blocking) time = std::max(time, row.end);
    } else if (lines[stream].is_blocking) {
        time = std::max(time, lines[nullptr].end);
    }
    return time;
}

void add(const void* stream, engine of, std::uint64_t takes, const char* symbol) {
    if (!is_on()) return;
    const std::lock_guard hold(lock);
    auto start = std::max(now(), ready(stream));
    if (of == engine::to_gpu || of == engine::to_cpu)
        start = std::max(start, ends[static_cast<int>(of)]);
    const auto end = start + takes;
    lines[stream].end = end;
    ends[static_cast<int>(of)] = std::max(ends[static_cast<int>(of)], end);
    added.push_back({start, end, lines[stream].number, symbol});
}

}  // namespace

bool is_on() {
    static const bool on = number("FAKE_CUDA_KERNEL_US") || number("FAKE_CUDA_COPY_NS");
    return on;
}

std::uint32_t number_of(const void* stream) {
    const std::lock_guard hold(lock);
    return lines[stream].number;
}

void created(const void* stream, bool is_blocking) {
    static std::uint32_t last = 7;
    const std::lock_guard hold(lock);
    lines[stream] = {++last, is_blocking, 0};
}

void kernel(const void* stream, const char* symbol, std::uint64_t blocks) {
    static const auto each = 1000 * number("FAKE_CUDA_KERNEL_US");
    add(stream, engine::kernels, blocks * each, symbol);
}

void copy(const void* stream, engine of, std::size_t bytes) {
    static const auto each = number("FAKE_CUDA_COPY_NS");
    add(stream, of, bytes * each / 1024, nullptr);
}

std::uint64_t end_of(const void* stream) {
    const std::lock_guard hold(lock);
    return ready(stream);
}

std::uint64_t end_of_all() {
    const std::lock_guard hold(lock);
    std::uint64_t time = 0;
    for (const auto& [stream, row] : lines) time = std::max(time, row.end);
    return time;
}

void follow(const void* stream, std::uint64_t time) {
    const std::lock_guard hold(lock);
    lines[stream].end = std::max(lines[stream].end, time);
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

const operation* take(std::size_t& count) {
    taken.clear();
    taken.swap(added);
    count = taken.size();
    return taken.data();
}

}  // namespace fake::timeline

FAKE std::uint32_t fake_cuda_stream_number(const void* stream) {
    return fake::timeline::number_of(stream);
}
