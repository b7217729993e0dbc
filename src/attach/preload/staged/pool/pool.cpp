#include "pool.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <initializer_list>

#include "backoff.hpp"
#include "lanes.hpp"

namespace attach::staged {
namespace {

unsigned running = 0;
std::uint32_t calls = 0;     // a thread sleeps while this does not change
std::uint32_t sleepers = 0;  // threads that sleep, or are about to

bool help_any() {
    const unsigned count = lane_count();
    for (unsigned i = 0; i < count; ++i)
        if (lane_at(i).work.help()) return true;
    return false;
}

bool is_any_open() {
    const unsigned count = lane_count();
    for (unsigned i = 0; i < count; ++i)
        if (lane_at(i).work.has_open()) return true;
    return false;
}

void wake(int threads) {
    if (__atomic_load_n(&sleepers, __ATOMIC_SEQ_CST) == 0) return;
    syscall(SYS_futex, &calls, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

void sleep_unless_called_since(std::uint32_t seen) {
    __atomic_add_fetch(&sleepers, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &calls, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
    __atomic_sub_fetch(&sleepers, 1, __ATOMIC_SEQ_CST);
}

// Each thread that wakes wakes two more while there is work: a call would take long to wake all.
void* run(void*) {
    constexpr unsigned spins = 1000;  // between the pieces of a copy
    unsigned idle = 0;
    for (;;) {
        const std::uint32_t seen = __atomic_load_n(&calls, __ATOMIC_SEQ_CST);
        if (help_any()) {
            idle = 0;
        } else if (++idle < spins) {
            pause_briefly();
        } else {
            sleep_unless_called_since(seen);
            idle = 0;
            if (is_any_open()) wake(2);
        }
    }
}

// Signals are for the program's threads; those of a fault stay with the thread that causes it.
void block_signals(sigset_t* before) {
    sigset_t blocked;
    sigfillset(&blocked);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&blocked, fault);
    pthread_sigmask(SIG_BLOCK, &blocked, before);
}

}  // namespace

unsigned start_pool(const crew& planned) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setaffinity_np(&attributes, sizeof planned.cpus, &planned.cpus);
    sigset_t before;
    block_signals(&before);
    pthread_t thread;
    while (running < planned.threads && pthread_create(&thread, &attributes, run, nullptr) == 0)
        ++running;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    return running;
}

void call_pool() {
    __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    wake(2);
}

void forget_pool() {
    running = 0;
    calls = 0;
    sleepers = 0;
}

}  // namespace attach::staged
