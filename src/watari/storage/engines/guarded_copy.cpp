#include "watari/storage/engines/guarded_copy.hpp"

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <mutex>

namespace watari::storage {

namespace {

thread_local sigjmp_buf escape;
thread_local volatile std::sig_atomic_t copying = 0;

struct shared {
    std::mutex mutex;
    int guards = 0;
    struct sigaction before {};
};

shared& state() {
    static shared one;
    return one;
}

/// Outside guarded_copy, restores the former handler, which gets the signal when the instruction is
/// executed again.
void on_bus_error(int number, siginfo_t*, void*) {
    if (copying) siglongjmp(escape, 1);
    sigaction(number, &state().before, nullptr);
}

}  // namespace

bus_guard::bus_guard() {
    const std::lock_guard lock(state().mutex);
    if (state().guards++ > 0) return;
    struct sigaction mine {};
    mine.sa_sigaction = on_bus_error;
    // a jump leaves the handler: the signal must not stay blocked in this thread
    mine.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGBUS, &mine, &state().before);
}

bus_guard::~bus_guard() {
    const std::lock_guard lock(state().mutex);
    if (--state().guards == 0) sigaction(SIGBUS, &state().before, nullptr);
}

bool guarded_copy(void* to, const void* from, std::size_t bytes) {
    if (sigsetjmp(escape, 0) != 0) {
        copying = 0;
        return false;
    }
    copying = 1;
    std::memcpy(to, from, bytes);
    copying = 0;
    return true;
}

}  // namespace watari::storage
