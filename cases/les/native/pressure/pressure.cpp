#include "pressure.hpp"

#include "../kernels.hpp"
#include "../ranks/neighbours.hpp"

#include <utility>

namespace watari::les {

template <class Real>
pressure<Real>::pressure(const fields& f, const parameters& p)
    : run_(&kernels_for<iteration_kernels<Real>>(p)),
      cycle_(&kernels_for<vcycle_kernels<Real>>(p)),
      flow_(&kernels_for<flow_kernels<Real>>(p)),
      coarsening_(&kernels_for<coarsening_kernels<Real>>(p)),
      others_(p.others),
      levels_(levels_of<Real>(f, p)),
      d_(numbers<Real>(f.d)) {
    const sums_layout at = sums_of(p);
    auto* const sums = numbers<double>(f.sums);
    numbers_ = reinterpret_cast<iteration_sums*>(sums);
    partials_ = sums + at.partials;
    columns_ = sums + at.columns;
    scratch_ = sums + at.scratch;
    const std::size_t piece = piece_of(p.whole.x);
    row_of_columns_ = p.whole.x / piece;
    all_columns_ = p.whole.y * row_of_columns_;
    own_columns_ = p.grid.origin.y * row_of_columns_ + p.grid.origin.x / piece;
    small_ = cycle_->first_small(levels_);
}

namespace {

/// Returns a level with `count` of its rows, from row `first` on.
template <class Real>
level<Real> rows_of(level<Real> l, std::ptrdiff_t first, std::size_t count) {
    l.grid = l.grid.rows_from(first, count);
    return l;
}

/// Returns a level with some rows of the neighbours, which compute these rows too, if that saves an
/// exchange.
template <class Real>
level<Real> with_beside(const level<Real>& l, std::size_t rows) {
    if (l.grid.around_y || !l.grid.unbroken()) return l;
    return rows_of(l, -static_cast<std::ptrdiff_t>(rows), l.grid.size.y + 2 * rows);
}

}  // namespace

/// Exchanges a halo that the kernels have not written themselves.
template <class Real>
void pressure<Real>::fill(std::size_t level, Real* array, stream_t stream, std::size_t rows) {
    if (others_ != nullptr && !levels_[level].grid.whole())
        others_->exchange(level, {array}, sizeof(Real), stream, rows);
}

/// Exchanges all rows of the halo that the arrays have.
template <class Real>
void pressure<Real>::fill_all(std::size_t level, Real* array, stream_t stream) {
    fill(level, array, stream, levels_[level].grid.below);
}

/// Exchanges the halo, unless this part has computed the rows beside it too.
template <class Real>
void pressure<Real>::fill_unless_known(std::size_t level, Real* array, stream_t stream) {
    if (!levels_[level].grid.unbroken()) fill(level, array, stream);
}

/// Completes an array of a coarser level of which each part has written its cells: exchanges its
/// halo, or gathers all of it if every rank has it.
template <class Real>
void pressure<Real>::fill_coarse(std::size_t coarse, Real* array, stream_t stream) {
    const les::grid& g = levels_[coarse].grid;
    if (g.whole() && !levels_[coarse - 1].grid.whole()) {
        others_->gather(coarse, array, sizeof(Real), stream);
        cycle_->go_around(g, array, stream);
    } else {
        fill_all(coarse, array, stream);
    }
}

template <class Real>
void pressure<Real>::build(stream_t stream) {
    const auto& make = *coarsening_;
    make.invert(levels_[0], stream);
    for (std::size_t n = 1; n < levels_.size(); ++n) {
        const level<Real>& l = levels_[n];
        make.coarsen(levels_[n - 1], l, stream);
        for (Real* face : l.face) fill_coarse(n, face, stream);
        make.invert(l, stream);
        fill_all(n, l.inverse, stream);
        if (others_ != nullptr && l.open != nullptr && !l.grid.whole())
            others_->exchange(n, {l.open}, sizeof *l.open, stream, l.grid.below);
    }
}

template <class Real>
void pressure<Real>::solve_coarsest(stream_t stream) {
    const std::size_t n = levels_.size() - 1;
    const level<Real>& l = levels_[n];
    cycle_->scale(l, Real(bottom_weight), l.scratch, stream);
    fill(n, l.scratch, stream);
    Real *from = l.scratch, *to = l.e;
    for (unsigned sweep = 1; sweep < bottom_sweeps; ++sweep, std::swap(from, to)) {
        cycle_->sweep(l, Real(bottom_weight), from, to, stream);
        fill(n, to, stream);
    }
}

/// Computes e = V r on level n; on the finest level it stops before the correction. Small levels
/// take one launch in all.
template <class Real>
void pressure<Real>::go_down(std::size_t n, stream_t stream) {
    if (n >= small_) {
        cycle_->small_levels({levels_.data() + n, levels_.size() - n}, stream);
        return;
    }
    if (n + 1 == levels_.size()) return solve_coarsest(stream);
    const level<Real>&l = levels_[n], &coarse = levels_[n + 1];
    if (cycle_->sweep_first(l, coarse, stream)) {
        if (!l.grid.around_y) {
            cycle_->two_sweeps(rows_of(l, -2, 2), stream);
            cycle_->two_sweeps(rows_of(l, static_cast<std::ptrdiff_t>(l.grid.size.y), 2), stream);
        }
    } else {
        cycle_->two_sweeps(with_beside(l, 2), stream);
        fill_unless_known(n, l.e, stream);
        cycle_->restrict_residual(l, coarse, stream);
    }
    fill_coarse(n + 1, coarse.r, stream);
    go_down(n + 1, stream);
    if (n == 0) return;
    cycle_->correct_sweep(with_beside(l, 1), coarse, stream);
    fill_unless_known(n, l.scratch, stream);
    cycle_->sweep(l, Real(first_weight), l.scratch, l.e, stream);
    fill(n, l.e, stream);
}

template <class Real>
void pressure<Real>::cycle(stream_t stream) {
    go_down(0, stream);
    level<Real>& l = levels_[0];
    if (levels_.size() > 1) {
        if (cycle_->sweep_last(l, levels_[1], partials_, stream)) return std::swap(l.e, l.scratch);
        cycle_->correct_sweep(with_beside(l, 1), levels_[1], stream);
        fill_unless_known(0, l.scratch, stream);
    }
    cycle_->sweep_product(l, partials_, stream);
}

/// Computes the sum of all partial sums, of all ranks. If `asked` is false, the sum is exchanged
/// with the next one.
template <class Real>
void pressure<Real>::total(double* to, stream_t stream, bool asked) {
    const les::grid& g = levels_[0].grid;
    if (others_ == nullptr)
        return run_->add_all(g, partials_, columns_, to, scratch_, numbers_, stream);
    run_->add_columns(g, partials_, columns_ + waiting_.size() * all_columns_ + own_columns_,
                      row_of_columns_, stream);
    waiting_.push_back(to);
    if (!asked) return;
    others_->gather_columns(columns_, waiting_.size(), stream);
    const double* set = columns_;
    for (double* const sum : waiting_) {
        run_->add_up(set, all_columns_, sum, scratch_, stream);
        set += all_columns_;
    }
    waiting_.clear();
}

/// Runs all iterations, without the last steps of p.
template <class Real>
void pressure<Real>::iterate(const flow_arguments<Real>& f, Real tau, unsigned cycles,
                             stream_t stream) {
    level<Real>& l = levels_[0];
    run_->residual(l, f, tau, stream);
    for (unsigned n = 0; n < cycles; ++n) {
        fill_all(0, l.r, stream);
        cycle(stream);
        total(&numbers_->rz[n % 2], stream, n > 0);  // the first direction needs no beta
        const bool last = n + 1 == cycles;
        if (n == 0)
            std::swap(l.e, d_);  // the first direction is e: no copy
        else if (!last)
            run_->direction(l, d_, numbers_, n, stream);
        fill(0, n > 0 && last ? l.e : d_, stream);
        if (n > 0 && last)
            run_->last_curvature(l, d_, numbers_, n, partials_, stream);
        else
            run_->curvature(l, d_, partials_, stream);
        total(&numbers_->d_ad[n % 2], stream);
        if (!last)  // for p: no kernel reads r beside the part
            run_->update(with_beside(l, 1), d_, n + 2 == cycles ? nullptr : f.p, numbers_, n,
                         stream);
    }
}

template <class Real>
void pressure<Real>::finish(const flow_arguments<Real>& f, unsigned cycles, stream_t stream) {
    if (cycles > 0) {
        run_->finish(with_beside(levels_[0], 1), d_, f.p, numbers_, cycles - 1, stream);
        std::swap(levels_[0].e, d_);
    }
    fill_unless_known(0, f.p, stream);
}

template <class Real>
void pressure<Real>::solve(const flow_arguments<Real>& f, Real tau, int cycles, stream_t stream) {
    iterate(f, tau, static_cast<unsigned>(cycles), stream);
    finish(f, static_cast<unsigned>(cycles), stream);
}

template <class Real>
void pressure<Real>::project(flow_arguments<Real>& f, Real tau, int cycles, stream_t stream) {
    const auto all = static_cast<unsigned>(cycles);
    iterate(f, tau, all, stream);
    level<Real>& l = levels_[0];
    const level<Real> known = with_beside(l, 1);  // for p: the flow beside is exchanged later
    flow_arguments<Real> flow = f;
    flow.grid = known.grid;
    if (l.grid.unbroken() && all > 1 &&
        run_->finish_flow(known, d_, flow, tau, l.r, numbers_, all - 1, stream)) {
        std::swap(l.r, f.p);
        std::swap(l.e, d_);
    } else {
        finish(f, all, stream);
        flow_->correct(f, tau, stream);
    }
}

template class pressure<float>;
template class pressure<double>;

}  // namespace watari::les
