/// core/atomic.hpp for threads of the CPU.
#pragma once

#include "watari/core/backend.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>
#include <thread>

namespace watari::cpu {

template <class Word>
Word load_relaxed(const Word& at) {
    return std::atomic_ref(const_cast<Word&>(at)).load(std::memory_order_relaxed);
}

template <class Word>
Word load_acquire(const Word& at) {
    return std::atomic_ref(const_cast<Word&>(at)).load(std::memory_order_acquire);
}

template <class Word>
void store_relaxed(Word& at, Word value) {
    std::atomic_ref(at).store(value, std::memory_order_relaxed);
}

template <class Word>
void store_release(Word& at, Word value) {
    std::atomic_ref(at).store(value, std::memory_order_release);
}

template <class Word>
Word fetch_add(Word& at, Word value) {
    return std::atomic_ref(at).fetch_add(value, std::memory_order_acq_rel);
}

template <class Word>
Word exchange(Word& at, Word value) {
    return std::atomic_ref(at).exchange(value, std::memory_order_acq_rel);
}

/// Stores `desired` if `at` is `expected`; else puts what it is into `expected`.
template <class Word>
bool compare_exchange(Word& at, Word& expected, Word desired) {
    return std::atomic_ref(at).compare_exchange_strong(expected, desired, std::memory_order_acq_rel,
                                                       std::memory_order_acquire);
}

/// For the `attempt`-th time in a row there was nothing: a moment's rest. The core is given up
/// soon, since whoever is waited for may need it.
inline void pause(unsigned attempt) {
    if (attempt < 64)
        WATARI_REST();
    else
        std::this_thread::yield();
}

/// Nanoseconds of a clock that never goes back.
inline std::int64_t nanoseconds() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace watari::cpu
