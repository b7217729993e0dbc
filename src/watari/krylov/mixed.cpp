#include "watari/krylov/mixed.hpp"

#include "watari/krylov/bicgstab_run.hpp"
#include "watari/krylov/cg_run.hpp"

#include <algorithm>
#include <string>

namespace watari::krylov {

namespace {

/// The problem of the iteration: the same shape, without b and x.
template <class T>
problem<lower<T>> low_problem(const problem<T>& given, const low_precision<T>& low) {
    if (!(low.delta > 0 && low.delta < 1))
        throw usage_error("delta " + std::to_string(low.delta) +
                          ": a residual is renewed when it has fallen to a part of it, "
                          "above 0 and below 1");
    return {.who = given.who,
            .stream = given.stream,
            .length = given.length,
            .systems = given.systems,
            .a = low.a,
            .m = low.m,
            .sums = given.sums};
}

/// x and its residual in high precision, around a solver's run in low precision.
template <class T, class Run>
struct mixed_run {
    using L = lower<T>;

    mixed_run(const problem<T>& given, const low_precision<T>& low, arena& memory)
        : run(low_problem(given, low), memory),
          high(given, memory, 3, run.loop.states()),
          kernels(&kernels_on<mixed_kernels<T>>(given.who)),
          q(high.vector(memory)),
          y(run.loop.vector(memory)) {}

    void start(const limits& to) const {
        high.start(nullptr, q, to);
        kernels->scale(high.range(), high.states(), y, high.stream());
        renew(nullptr, nullptr, rho_of::residual, to);
    }

    void renew(L* p, const L* shadow, rho_of rho, const limits& to) const {
        const problem<T>& given = high.given();
        kernels->accumulate(high.range(), high.states(), given.x, y, false, high.stream());
        high.multiply(q, given.x);
        kernels->renew(high.range(), high.states(), given.b, q, run.r, p, shadow,
                       run.loop.partials(), high.stream());
        kernels->renewed(high.states(), high.systems(), run.loop.summed(dots_width<T>), to, rho,
                         high.stream());
    }

    /// Whether the host looks after this iteration and a system is due for renewal: its residual
    /// has fallen enough, or it broke down, perhaps only in low precision.
    bool wants_renewal(std::size_t iteration, const stopping& when) const {
        if (iteration % when.look_every) return false;
        const auto& now = high.read_states();
        return std::any_of(now.begin(), now.end(),
                           [](const auto& state) { return state.is_due(); });
    }

    reports finish(const stopping& when, bool ruled) const {
        kernels->accumulate(high.range(), high.states(), high.given().x, y, true, high.stream());
        return high.finish(q, when, ruled);
    }

    Run run;
    engine<T> high;
    const mixed_kernels<T>* kernels;
    T* q;
    L* y;
};

template <class T>
using cg_mixed_run = mixed_run<T, cg_run<lower<T>>>;
template <class T>
using bicgstab_mixed_run = mixed_run<T, bicgstab_run<lower<T>>>;

/// The loop of both solvers: step(limits, whether r was renewed), then, if due, renew(p, shadow,
/// rho).
template <class T, class Run, class Step>
reports iterate(Run& mixed, const low_precision<T>& low, stopping when, lower<T>* p,
                const lower<T>* shadow, rho_of rho, const Step& step) {
    const limits to = limits_of(when, low.delta);
    when.look_every = std::max<std::size_t>(when.look_every, 1);
    bool ruled = false, renewed = true;
    mixed.start(to);
    for (std::size_t i = 0; i < when.iterations && !mixed.high.ended(i, when, ruled);) {
        step(to, renewed);
        renewed = mixed.wants_renewal(++i, when);
        if (renewed) mixed.renew(p, shadow, rho, to);
    }
    return mixed.finish(when, ruled);
}

}  // namespace

template <class T>
std::size_t cg_mixed_bytes(const problem<T>& given, const low_precision<T>& low) {
    return bytes_of<cg_mixed_run<T>>(given, low);
}

template <class T>
std::size_t bicgstab_mixed_bytes(const problem<T>& given, const low_precision<T>& low) {
    return bytes_of<bicgstab_mixed_run<T>>(given, low);
}

template <class T>
reports cg_mixed(const problem<T>& given, const low_precision<T>& low, const workspace& memory,
                 const stopping& when) {
    arena taken(memory);
    cg_mixed_run<T> mixed(given, low, taken);
    return iterate<T>(mixed, low, when, nullptr, nullptr, low.m ? rho_of::later : rho_of::residual,
                      [&](const limits& to, bool) {
                          mixed.run.direct();
                          mixed.run.update(mixed.y, to);
                      });
}

template <class T>
reports bicgstab_mixed(const problem<T>& given, const low_precision<T>& low,
                       const workspace& memory, const stopping& when) {
    arena taken(memory);
    bicgstab_mixed_run<T> mixed(given, low, taken);
    bicgstab_run<lower<T>>& run = mixed.run;
    return iterate<T>(mixed, low, when, run.p, run.shadow, rho_of::shadow,
                      [&](const limits& to, bool renewed) {
                          if (renewed) run.direct();
                          run.half_step(to);
                          run.minimise();
                          run.update(mixed.y, to);
                      });
}

#define WATARI_INSTANTIATE(T)                                                                     \
    template std::size_t cg_mixed_bytes(const problem<T>&, const low_precision<T>&);              \
    template std::size_t bicgstab_mixed_bytes(const problem<T>&, const low_precision<T>&);        \
    template reports cg_mixed(const problem<T>&, const low_precision<T>&, const workspace&,       \
                              const stopping&);                                                   \
    template reports bicgstab_mixed(const problem<T>&, const low_precision<T>&, const workspace&, \
                                    const stopping&);
WATARI_INSTANTIATE(double)
WATARI_INSTANTIATE(complex<double>)
#undef WATARI_INSTANTIATE

}  // namespace watari::krylov
