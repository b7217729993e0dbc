/// core/parallel/atomic.hpp for threads of a GPU.
#pragma once

#include <cuda/atomic>

#include <cstdint>

namespace watari::gpu {

template <cuda::thread_scope Scope>
struct atomics {
    template <class Word>
    using reference = cuda::atomic_ref<Word, Scope>;

    template <class Word>
    static __device__ Word load_relaxed(const Word& word) {
        return reference<Word>(const_cast<Word&>(word)).load(cuda::memory_order_relaxed);
    }
    template <class Word>
    static __device__ Word load_acquire(const Word& word) {
        return reference<Word>(const_cast<Word&>(word)).load(cuda::memory_order_acquire);
    }
    template <class Word>
    static __device__ void store_relaxed(Word& word, Word value) {
        reference<Word>(word).store(value, cuda::memory_order_relaxed);
    }
    template <class Word>
    static __device__ void store_release(Word& word, Word value) {
        reference<Word>(word).store(value, cuda::memory_order_release);
    }
    /// All threads see these two operations in one order. If each of two threads stores one word
    /// and then loads the word of the other, at least one of them sees the store of the other.
    template <class Word>
    static __device__ Word load_seq_cst(const Word& word) {
        return reference<Word>(const_cast<Word&>(word)).load(cuda::memory_order_seq_cst);
    }
    template <class Word>
    static __device__ void store_seq_cst(Word& word, Word value) {
        reference<Word>(word).store(value, cuda::memory_order_seq_cst);
    }
    /// Release: a thread that acquires the sum sees the earlier writes of this thread. The old
    /// value is not returned.
    template <class Word>
    static __device__ void add_release(Word& word, Word value) {
        reference<Word>(word).fetch_add(value, cuda::memory_order_release);
    }
    /// The next three operations order nothing, and do not break the release sequence of another
    /// thread.
    template <class Word>
    static __device__ void add_relaxed(Word& word, Word value) {
        reference<Word>(word).fetch_add(value, cuda::memory_order_relaxed);
    }
    template <class Word>
    static __device__ void set_bits(Word& word, Word bits) {
        reference<Word>(word).fetch_or(bits, cuda::memory_order_relaxed);
    }
    template <class Word>
    static __device__ void clear_bits(Word& word, Word bits) {
        reference<Word>(word).fetch_and(~bits, cuda::memory_order_relaxed);
    }
    /// The next two operations return the old value; they acquire and release.
    template <class Word>
    static __device__ Word fetch_add(Word& word, Word value) {
        return reference<Word>(word).fetch_add(value, cuda::memory_order_acq_rel);
    }
    template <class Word>
    static __device__ Word exchange(Word& word, Word value) {
        return reference<Word>(word).exchange(value, cuda::memory_order_acq_rel);
    }
    /// Replaces `from` by `to`; false if the word was not `from`.
    template <class Word>
    static __device__ bool replace(Word& word, Word from, Word to) {
        return reference<Word>(word).compare_exchange_strong(from, to, cuda::memory_order_acq_rel,
                                                             cuda::memory_order_acquire);
    }
};

using everywhere = atomics<cuda::thread_scope_system>;
using local = atomics<cuda::thread_scope_device>;

/// Rests after a poll that has found nothing for the `attempt`-th time in a row. Rests get longer,
/// since every load from memory of the CPU is a round trip over the bus.
__device__ inline void pause(unsigned attempt) {
    __nanosleep(attempt < 6 ? 32u << attempt : 2048u);
}

/// Nanoseconds of a clock that never goes back.
__device__ inline std::int64_t nanoseconds() {
    std::int64_t time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

}  // namespace watari::gpu
