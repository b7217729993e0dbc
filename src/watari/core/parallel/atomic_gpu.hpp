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
    /// Of these two there is one order for all: who stores and then loads elsewhere, and another
    /// who does so in the other order, cannot both miss what the other stored.
    template <class Word>
    static __device__ Word load_seq_cst(const Word& word) {
        return reference<Word>(const_cast<Word&>(word)).load(cuda::memory_order_seq_cst);
    }
    template <class Word>
    static __device__ void store_seq_cst(Word& word, Word value) {
        reference<Word>(word).store(value, cuda::memory_order_seq_cst);
    }
    /// What comes before is seen by whoever acquires the sum; nothing is learnt from what was
    /// there.
    template <class Word>
    static __device__ void add_release(Word& word, Word value) {
        reference<Word>(word).fetch_add(value, cuda::memory_order_release);
    }
    /// These three order nothing, and undo no order that another's release gives.
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
    /// These two return what was there before, acquire and release.
    template <class Word>
    static __device__ Word fetch_add(Word& word, Word value) {
        return reference<Word>(word).fetch_add(value, cuda::memory_order_acq_rel);
    }
    template <class Word>
    static __device__ Word exchange(Word& word, Word value) {
        return reference<Word>(word).exchange(value, cuda::memory_order_acq_rel);
    }
    /// Whether `from` was there and `to` is now.
    template <class Word>
    static __device__ bool replace(Word& word, Word from, Word to) {
        return reference<Word>(word).compare_exchange_strong(from, to, cuda::memory_order_acq_rel,
                                                             cuda::memory_order_acquire);
    }
};

using everywhere = atomics<cuda::thread_scope_system>;
using local = atomics<cuda::thread_scope_device>;

/// For the `attempt`-th time in a row there was nothing: longer and longer rests, since every look
/// at memory of the CPU is a round trip over the bus.
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
