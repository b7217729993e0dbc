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
    /// All threads see these two operations in one order. If each of two threads stores one word
    /// and then loads the word of the other, at least one of them sees the store of the other.
    template <class Word>
    static Word load_seq_cst(const Word& word) {
        return std::atomic_ref<Word>(const_cast<Word&>(word)).load(std::memory_order_seq_cst);
    }
    template <class Word>
    static void store_seq_cst(Word& word, Word value) {
        std::atomic_ref<Word>(word).store(value, std::memory_order_seq_cst);
    }
    /// Release: a thread that acquires the sum sees the earlier writes of this thread. The old
    /// value is not returned.
    template <class Word>
    static void add_release(Word& word, Word value) {
        std::atomic_ref<Word>(word).fetch_add(value, std::memory_order_release);
    }
    /// The next three operations order nothing, and do not break the release sequence of another
    /// thread.
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
    /// The next two operations return the old value; they acquire and release.
    template <class Word>
    static Word fetch_add(Word& word, Word value) {
        return std::atomic_ref<Word>(word).fetch_add(value, std::memory_order_acq_rel);
    }
    template <class Word>
    static Word exchange(Word& word, Word value) {
        return std::atomic_ref<Word>(word).exchange(value, std::memory_order_acq_rel);
    }
    /// Replaces `from` by `to`; false if the word was not `from`.
    template <class Word>
    static bool replace(Word& word, Word from, Word to) {
        return std::atomic_ref<Word>(word).compare_exchange_strong(
            from, to, std::memory_order_acq_rel, std::memory_order_acquire);
    }
};

using everywhere = atomics;
using local = atomics;

/// Rests after a poll that has found nothing for the `attempt`-th time in a row. The core is soon
/// given up, since the awaited thread may need it. After a millisecond or so the thread sleeps:
/// threads that yield without end can delay others, the kernel's too, for seconds.
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
