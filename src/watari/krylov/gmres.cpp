#include "watari/krylov/gmres.hpp"

#include "watari/krylov/engine.hpp"
#include "watari/krylov/kernels/gmres_kernels.hpp"

#include <algorithm>
#include <optional>

namespace watari::krylov {

namespace {

template <class T>
struct gmres_run {
    gmres_run(const problem<T>& given, const gmres_options& options, arena& memory)
        : loop(given, memory, std::max<std::size_t>(3, options.restart * parts<T>)),
          kernels(&kernels_on<gmres_kernels<T>>(given.who)),
          flexible(options.flexible && given.m) {
        const std::size_t m = options.restart, systems = given.systems;
        if (m == 0) throw usage_error("GMRES with 0 vectors a cycle: restart must be at least 1");
        v = {memory.take<T>(loop.elements() * (m + 1)), loop.elements()};
        z = {given.m ? memory.take<T>(loop.elements() * (flexible ? m : 1)) : nullptr,
             flexible ? loop.elements() : 0};
        sum = given.m && !flexible ? loop.vector(memory) : nullptr;
        small.restart = m;
        small.h = memory.take<wide<T>>(systems * m * (m + 1));
        small.g = memory.take<wide<T>>(systems * (m + 1));
        for (wide<T>** one : {&small.dot, &small.sine, &small.y})
            *one = memory.take<wide<T>>(systems * m);
        small.cosine = memory.take<double>(systems * m);
        small.inverse = memory.take<double>(systems);
        small.columns = memory.take<std::uint32_t>(systems);
    }

    void open() const {
        kernels->open(loop.states(), small, loop.systems(), loop.stream());
        kernels->normalise(loop.range(), loop.states(), small, v[0], loop.stream());
    }

    /// Computes v_j+1 and column j of H.
    void extend(std::size_t j, const limits& to) const {
        T* const w = v[j + 1];
        loop.multiply(w, loop.conditioned(z[j], v[j]));
        for (const bool again : {false, true}) {
            kernels->project(loop.range(), loop.states(), v, j + 1, w, loop.partials(),
                             loop.stream());
            kernels->projected(loop.states(), small, loop.systems(), j + 1,
                               loop.summed((j + 1) * parts<T>), again, loop.stream());
            kernels->subtract(loop.range(), loop.states(), small, v, j + 1, w, loop.partials(),
                              loop.stream());
        }
        kernels->column(loop.states(), small, loop.systems(), j, loop.summed(1), to, loop.stream());
        kernels->normalise(loop.range(), loop.states(), small, w, loop.stream());
    }

    /// Updates x, stores the residual in v_0 and returns the sums of its square.
    partial_sums close(T* x) const {
        kernels->solve(loop.states(), small, loop.systems(), loop.stream());
        if (sum) {
            kernels->combine(loop.range(), small, v, sum, true, loop.stream());
            kernels->add(loop.range(), small, x, loop.conditioned(z[0], sum), loop.stream());
        } else {
            kernels->combine(loop.range(), small, flexible ? z : v, x, false, loop.stream());
        }
        loop.residual(v[0], v[1]);
        const partial_sums square = loop.summed(1);
        kernels->closed(loop.states(), loop.systems(), square, loop.stream());
        return square;
    }

    engine<T> loop;
    const gmres_kernels<T>* kernels;
    bool flexible;
    basis<T> v, z;
    T* sum;
    hessenberg<wide<T>> small;
};

}  // namespace

template <class T>
std::size_t gmres_bytes(const problem<T>& given, const gmres_options& options) {
    return bytes_of<gmres_run<T>>(given, options);
}

template <class T>
reports gmres(const problem<T>& given, const workspace& memory, const stopping& when,
              const gmres_options& options) {
    arena taken(memory);
    const gmres_run<T> run(given, options, taken);
    const limits to = limits_of(when);
    bool ruled = false;
    std::optional<partial_sums> square;  // of the residual of x
    run.loop.start(run.v[0], run.v[1], to);
    for (std::size_t i = 0; i < when.iterations && !run.loop.ended(0, when, ruled);) {
        run.open();
        for (std::size_t j = 0; j < options.restart && i < when.iterations; ++j) {
            run.extend(j, to);
            if (run.loop.ended(++i, when, ruled, &engine<T>::state::open)) break;
        }
        square = run.close(given.x);
        if (ruled) break;
    }
    return square ? run.loop.finish(*square, when, ruled) : run.loop.finish(run.v[1], when, ruled);
}

#define WATARI_INSTANTIATE(T)                                                    \
    template std::size_t gmres_bytes(const problem<T>&, const gmres_options&);   \
    template reports gmres(const problem<T>&, const workspace&, const stopping&, \
                           const gmres_options&);
WATARI_EACH_SCALAR(WATARI_INSTANTIATE)
#undef WATARI_INSTANTIATE

}  // namespace watari::krylov
