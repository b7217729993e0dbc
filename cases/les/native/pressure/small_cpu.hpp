/// The V-cycle of the coarsest levels by one thread of a CPU. For vcycle.cpp.
#pragma once

#include "restriction.hpp"
#include "sweeps.hpp"

#include <span>

namespace watari::cpu {

/// Levels of at most this many cells run on one thread: a team would cost more.
inline constexpr std::size_t small_cells = 4096;
static_assert(small_cells <= least_shared);

template <class Real>
std::size_t first_small(std::span<const les::level<Real>> levels) {
    std::size_t first = levels.size();
    while (first > 1 && levels.size() - first < les::most_small && levels[first - 1].grid.whole() &&
           levels[first - 1].grid.size.cells() <= small_cells)
        --first;
    return first;
}

template <class Real>
void go_down(const les::level<Real>& l, const les::level<Real>& coarse) {
    const coarse_operator<Real> a(l);
    for_each_cell(l.grid, two_sweeps_of(a, l), only(l.e), nullptr);
    if (coarse.all_halved())
        for_each_cell(coarse.grid, restriction_of<true>(a, l, coarse, 0, 0), only(coarse.r),
                      nullptr);
    else
        for_each_cell(coarse.grid, restriction_of<false>(a, l, coarse, 0, 0), only(coarse.r),
                      nullptr);
}
template <class Real>
void solve_coarsest(const les::level<Real>& l) {
    const coarse_operator<Real> a(l);
    const Real weight = Real(les::bottom_weight);
    for_each_cell(l.grid, scale_by_diagonal<coarse_operator<Real>, Real>{a, l.r, l.scratch, weight},
                  only(l.scratch), nullptr);
    for (unsigned n = 1; n < les::bottom_sweeps; ++n) {
        Real *const from = n % 2 ? l.scratch : l.e, *const to = n % 2 ? l.e : l.scratch;
        for_each_cell(l.grid, sweep_of(a, l, weight, from, to), only(to), nullptr);
    }
}
template <class Real>
void go_up(const les::level<Real>& l, const les::level<Real>& coarse) {
    const coarse_operator<Real> a(l);
    for_each_cell(l.grid, correct_sweep_of(a, l, coarse), only(l.scratch), nullptr);
    for_each_cell(l.grid, sweep_of(a, l, Real(les::first_weight), l.scratch, l.e), only(l.e),
                  nullptr);
}

template <class Real>
void small_levels(std::span<const les::level<Real>> levels, stream_t) {
    for (std::size_t n = 0; n + 1 < levels.size(); ++n) go_down(levels[n], levels[n + 1]);
    solve_coarsest(levels.back());
    for (std::size_t n = levels.size() - 1; n-- > 0;) go_up(levels[n], levels[n + 1]);
}

}  // namespace watari::cpu
