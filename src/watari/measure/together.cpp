// A barrier between processes, in a file that they map: the last process to arrive begins the next
// turn and records the time.
#include "watari/measure/together.hpp"

#include "watari/core/error.hpp"
#include "watari/measure/clock.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <system_error>

namespace watari::measure {

namespace {

/// The counters that the processes share; zeros at first.
struct counters {
    std::atomic<std::uint32_t> arrived;
    std::atomic<std::uint32_t> turn;
    double begun;  ///< beginning of this turn, seconds
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(sizeof(counters) == 16);  // COUNTERS of together.py

struct gathering {
    std::uint32_t count = 1;
    counters* shared = nullptr;
};

[[noreturn]] void fail(const std::string& file) {
    throw std::system_error(errno, std::generic_category(), file);
}

/// The file stays mapped until the process ends.
gathering join() {
    const char* given = std::getenv("WATARI_TOGETHER");
    if (given == nullptr) return {};
    const std::string text = given;
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) throw usage_error("WATARI_TOGETHER=" + text + " has no file");
    const std::string file = text.substr(colon + 1);
    const int descriptor = open(file.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) fail(file);
    void* mapped =
        mmap(nullptr, sizeof(counters), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (mapped == MAP_FAILED) fail(file);
    return {static_cast<std::uint32_t>(std::stoul(text)), static_cast<counters*>(mapped)};
}

}  // namespace

std::optional<double> wait_for_the_others() {
    static const gathering all = join();
    if (all.shared == nullptr) return {};
    const std::uint32_t turn = all.shared->turn.load();
    if (all.shared->arrived.fetch_add(1) + 1 == all.count) {
        all.shared->arrived.store(0);
        all.shared->begun = now();
        all.shared->turn.fetch_add(1);
    }
    while (all.shared->turn.load() == turn) sched_yield();  // processes may be more than cores
    return all.shared->begun;  // written again by the next turn, which waits for this process
}

}  // namespace watari::measure
