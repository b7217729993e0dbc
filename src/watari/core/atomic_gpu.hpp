/// core/atomic.hpp for threads of a GPU.
#pragma once

#include <cuda/atomic>

#include <cstdint>

namespace watari::gpu {

template <class Word>
using system_reference = cuda::atomic_ref<Word, cuda::thread_scope_system>;

template <class Word>
__device__ Word load_relaxed(const Word& at) {
    return system_reference<Word>(const_cast<Word&>(at)).load(cuda::memory_order_relaxed);
}

template <class Word>
__device__ Word load_acquire(const Word& at) {
    return system_reference<Word>(const_cast<Word&>(at)).load(cuda::memory_order_acquire);
}

template <class Word>
__device__ void store_relaxed(Word& at, Word value) {
    system_reference<Word>(at).store(value, cuda::memory_order_relaxed);
}

template <class Word>
__device__ void store_release(Word& at, Word value) {
    system_reference<Word>(at).store(value, cuda::memory_order_release);
}

template <class Word>
__device__ Word fetch_add(Word& at, Word value) {
    return system_reference<Word>(at).fetch_add(value, cuda::memory_order_acq_rel);
}

template <class Word>
__device__ Word exchange(Word& at, Word value) {
    return system_reference<Word>(at).exchange(value, cuda::memory_order_acq_rel);
}

/// Stores `desired` if `at` is `expected`; else puts what it is into `expected`.
template <class Word>
__device__ bool compare_exchange(Word& at, Word& expected, Word desired) {
    return system_reference<Word>(at).compare_exchange_strong(
        expected, desired, cuda::memory_order_acq_rel, cuda::memory_order_acquire);
}

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
