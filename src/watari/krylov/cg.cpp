#include "watari/krylov/cg.hpp"

#include "watari/krylov/cg_run.hpp"

namespace watari::krylov {

template <class T>
std::size_t cg_bytes(const problem<T>& given) {
    return bytes_of<cg_run<T>>(given);
}

template <class T>
reports cg(const problem<T>& given, const workspace& memory, const stopping& when) {
    arena taken(memory);
    const cg_run<T> run(given, taken);
    const limits to = limits_of(when);
    bool ruled = false;
    run.loop.start(run.r, run.q, to);
    for (std::size_t i = 0; i < when.iterations && !run.loop.ended(i, when, ruled); ++i) {
        run.direct();
        run.update(given.x, to);
    }
    return run.loop.finish(run.q, when, ruled);
}

template <class T>
void enqueue_cg(const problem<T>& given, const workspace& memory, std::size_t iterations) {
    arena taken(memory);
    const cg_run<T> run(given, taken);
    run.loop.start(run.r, run.q, {});
    for (std::size_t i = 0; i < iterations; ++i) {
        run.direct();
        run.update(given.x, {});
    }
}

template <class T>
reports cg_result(const problem<T>& given, const workspace& memory, const stopping& when) {
    arena taken(memory);
    const cg_run<T> run(given, taken);
    return run.loop.finish(run.q, when, false);
}

#define WATARI_INSTANTIATE(T)                                                   \
    template std::size_t cg_bytes(const problem<T>&);                           \
    template reports cg(const problem<T>&, const workspace&, const stopping&);  \
    template void enqueue_cg(const problem<T>&, const workspace&, std::size_t); \
    template reports cg_result(const problem<T>&, const workspace&, const stopping&);
WATARI_EACH_SCALAR(WATARI_INSTANTIATE)
#undef WATARI_INSTANTIATE

}  // namespace watari::krylov
