#include "watari/krylov/bicgstab.hpp"

#include "watari/krylov/bicgstab_run.hpp"

namespace watari::krylov {

template <class T>
std::size_t bicgstab_bytes(const problem<T>& given) {
    return bytes_of<bicgstab_run<T>>(given);
}

template <class T>
reports bicgstab(const problem<T>& given, const workspace& memory, const stopping& when) {
    arena taken(memory);
    bicgstab_run<T> run(given, taken);
    const limits to = limits_of(when);
    bool ruled = false;
    run.loop.start(run.r, run.q, to);
    run.direct();
    for (std::size_t i = 0; i < when.iterations && !run.loop.ended(i, when, ruled); ++i) {
        run.half_step(to);
        // a host that looks at every step saves the product after the last half step
        const bool done = when.look_every == 1 && run.loop.all_ended();
        if (!done) run.minimise();
        run.update(given.x, to);
        if (done) break;
    }
    return run.loop.finish(run.q, when, ruled);
}

#define WATARI_INSTANTIATE(T)                               \
    template std::size_t bicgstab_bytes(const problem<T>&); \
    template reports bicgstab(const problem<T>&, const workspace&, const stopping&);
WATARI_EACH_SCALAR(WATARI_INSTANTIATE)
#undef WATARI_INSTANTIATE

}  // namespace watari::krylov
