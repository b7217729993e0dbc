// Kernels for both backends; see core/backend.hpp.
#include "kernels.hpp"

#include "watari/core/loops.hpp"
#include "watari/core/parallel/atomic.hpp"

namespace watari::WATARI_BACKEND {

namespace {

void clear(std::uint64_t* counters, std::size_t words, stream_t stream) {
    for_each(
        words, [=] WATARI_KERNEL(std::size_t i) { counters[i] = 0; }, stream);
}

template <class Scope>
void add(const counting::task& work, stream_t stream) {
    for_each(
        work.workers,
        [t = work] WATARI_KERNEL(std::size_t worker) {
            const counting::part mine = counting::part_of(t.updates, worker, t.workers);
            for (std::size_t i = mine.first; i < mine.last; ++i)
                Scope::add_relaxed(t.counters[t.where(i, t.before + worker)], std::uint64_t{1});
        },
        stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::counting {

const kernels kernels::WATARI_BACKEND{
    .clear = WATARI_BACKEND::clear,
    .add = WATARI_BACKEND::add<WATARI_BACKEND::local>,
    .add_everywhere = WATARI_BACKEND::add<WATARI_BACKEND::everywhere>};

}  // namespace watari::counting
