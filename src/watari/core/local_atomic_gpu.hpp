/// core/local_atomic.hpp on a GPU.
#pragma once

#include <cuda/atomic>

namespace watari::gpu::local {

template <class Word>
using reference = cuda::atomic_ref<Word, cuda::thread_scope_device>;

template <class Word>
__device__ Word load_relaxed(const Word& word) {
    return reference<Word>(const_cast<Word&>(word)).load(cuda::memory_order_relaxed);
}
template <class Word>
__device__ void store_relaxed(Word& word, Word value) {
    reference<Word>(word).store(value, cuda::memory_order_relaxed);
}
template <class Word>
__device__ Word load_acquire(const Word& word) {
    return reference<Word>(const_cast<Word&>(word)).load(cuda::memory_order_acquire);
}
template <class Word>
__device__ void store_release(Word& word, Word value) {
    reference<Word>(word).store(value, cuda::memory_order_release);
}
/// What comes before is seen by whoever acquires the sum; nothing is learnt from what was there.
template <class Word>
__device__ void add_release(Word& word, Word value) {
    reference<Word>(word).fetch_add(value, cuda::memory_order_release);
}
/// These two order nothing, and undo no order that another's release gives.
template <class Word>
__device__ void set_bits(Word& word, Word bits) {
    reference<Word>(word).fetch_or(bits, cuda::memory_order_relaxed);
}
template <class Word>
__device__ void clear_bits(Word& word, Word bits) {
    reference<Word>(word).fetch_and(~bits, cuda::memory_order_relaxed);
}
/// These two return what was there before, acquire and release.
template <class Word>
__device__ Word fetch_add(Word& word, Word value) {
    return reference<Word>(word).fetch_add(value, cuda::memory_order_acq_rel);
}
template <class Word>
__device__ Word exchange(Word& word, Word value) {
    return reference<Word>(word).exchange(value, cuda::memory_order_acq_rel);
}
/// Whether `from` was there and `to` is now.
template <class Word>
__device__ bool replace(Word& word, Word from, Word to) {
    return reference<Word>(word).compare_exchange_strong(from, to, cuda::memory_order_acq_rel,
                                                         cuda::memory_order_acquire);
}

}  // namespace watari::gpu::local
