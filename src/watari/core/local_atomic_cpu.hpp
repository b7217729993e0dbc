/// core/local_atomic.hpp on a CPU.
#pragma once

#include <atomic>

namespace watari::cpu::local {

template <class Word>
Word load_relaxed(const Word& word) {
    return std::atomic_ref<Word>(const_cast<Word&>(word)).load(std::memory_order_relaxed);
}
template <class Word>
void store_relaxed(Word& word, Word value) {
    std::atomic_ref<Word>(word).store(value, std::memory_order_relaxed);
}
template <class Word>
Word load_acquire(const Word& word) {
    return std::atomic_ref<Word>(const_cast<Word&>(word)).load(std::memory_order_acquire);
}
template <class Word>
void store_release(Word& word, Word value) {
    std::atomic_ref<Word>(word).store(value, std::memory_order_release);
}
/// What comes before is seen by whoever acquires the sum; nothing is learnt from what was there.
template <class Word>
void add_release(Word& word, Word value) {
    std::atomic_ref<Word>(word).fetch_add(value, std::memory_order_release);
}
/// These two order nothing, and undo no order that another's release gives.
template <class Word>
void set_bits(Word& word, Word bits) {
    std::atomic_ref<Word>(word).fetch_or(bits, std::memory_order_relaxed);
}
template <class Word>
void clear_bits(Word& word, Word bits) {
    std::atomic_ref<Word>(word).fetch_and(~bits, std::memory_order_relaxed);
}
/// These two return what was there before, acquire and release.
template <class Word>
Word fetch_add(Word& word, Word value) {
    return std::atomic_ref<Word>(word).fetch_add(value, std::memory_order_acq_rel);
}
template <class Word>
Word exchange(Word& word, Word value) {
    return std::atomic_ref<Word>(word).exchange(value, std::memory_order_acq_rel);
}
/// Whether `from` was there and `to` is now.
template <class Word>
bool replace(Word& word, Word from, Word to) {
    return std::atomic_ref<Word>(word).compare_exchange_strong(from, to, std::memory_order_acq_rel,
                                                               std::memory_order_acquire);
}

}  // namespace watari::cpu::local
