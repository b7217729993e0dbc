/// core/parallel/atomic.hpp for threads of the CPU.
#pragma once

#include "watari/core/backend.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <thread>

namespace watari::cpu {

struct atomics {
    template <class Word>
    static Word load_relaxed(const Word& word) {
        return std::atomic_ref<Word>(const_cast<Word&>(word)).load(std::memory_order_relaxed);
    }
    template <class Word>
    static Word load_acquire(const Word& word) {
        return std::atomic_ref<Word>(const_cast<Word&>(word)).load(std::memory_order_acquire);
    }
    template <class Word>
    static void store_relaxed(Word& word, Word value) {
        std::atomic_ref<Word>(word).store(value, std::memory_order_relaxed);
    }
    template <class Word>
    static void store_release(Word& word, Word value) {
        std::atomic_ref<Word>(word).store(value, std::memory_order_release);
    }
    /// Of these two there is one order for all: who stores and then loads elsewhere, and another
    /// who does so in the other order, cannot both miss what the other stored.
    template <class Word>
    static Word load_seq_cst(const Word& word) {
        return std::atomic_ref<Word>(const_cast<Word&>(word)).load(std::memory_order_seq_cst);
    }
    template <class Word>
    static void store_seq_cst(Word& word, Word value) {
        std::atomic_ref<Word>(word).store(value, std::memory_order_seq_cst);
    }
    /// What comes before is seen by whoever acquires the sum; nothing is learnt from what was
    /// there.
    template <class Word>
    static void add_release(Word& word, Word value) {
        std::atomic_ref<Word>(word).fetch_add(value, std::memory_order_release);
    }
    /// These three order nothing, and undo no order that another's release gives.
    template <class Word>
    static void add_relaxed(Word& word, Word value) {
        std::atomic_ref<Word>(word).fetch_add(value, std::memory_order_relaxed);
    }
    template <class Word>
    static void set_bits(Word& word, Word bits) {
        std::atomic_ref<Word>(word).fetch_or(bits, std::memory_order_relaxed);
    }
    template <class Word>
    static void clear_bits(Word& word, Word bits) {
        std::atomic_ref<Word>(word).fetch_and(~bits, std::memory_order_relaxed);
    }
    /// These two return what was there before, acquire and release.
    template <class Word>
    static Word fetch_add(Word& word, Word value) {
        return std::atomic_ref<Word>(word).fetch_add(value, std::memory_order_acq_rel);
    }
    template <class Word>
    static Word exchange(Word& word, Word value) {
        return std::atomic_ref<Word>(word).exchange(value, std::memory_order_acq_rel);
    }
    /// Whether `from` was there and `to` is now.
    template <class Word>
    static bool replace(Word& word, Word from, Word to) {
        return std::atomic_ref<Word>(word).compare_exchange_strong(
            from, to, std::memory_order_acq_rel, std::memory_order_acquire);
    }
};

using everywhere = atomics;
using local = atomics;

/// For the `attempt`-th time in a row there was nothing: a moment's rest. The core is given up
/// soon, since whoever is waited for may need it; and after a millisecond or so by a sleep, since
/// threads that yield without end can keep others, the kernel's too, from their turn for seconds.
inline void pause(unsigned attempt) {
    if (attempt < 64)
        WATARI_REST();
    else if (attempt < 4096)
        std::this_thread::yield();
    else
        std::this_thread::sleep_for(std::chrono::microseconds(20));
}

/// Nanoseconds of a clock that never goes back.
inline std::int64_t nanoseconds() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace watari::cpu
