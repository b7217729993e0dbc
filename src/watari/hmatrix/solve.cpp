#include "watari/hmatrix/solve.hpp"

#include "watari/core/error.hpp"
#include "watari/krylov/bicgstab.hpp"
#include "watari/measure/clock.hpp"
#include "watari/memory/move.hpp"

#include <algorithm>
#include <cmath>

namespace watari::hmatrix {

namespace {

constexpr double inner_tolerance = 0.03;

krylov::gmres_options gmres_of(const solve_options& how) {
    return {how.restart, how.by == method::fgmres};
}

/// A problem with the fields from which a solver counts its memory.
krylov::problem<double> shape_of(std::size_t length, const solve_options& how) {
    krylov::problem<double> given{
        .who = how.product.who, .length = length, .systems = how.product.systems};
    if (how.jacobi || how.inner > 0) given.m = [](double*, const double*, std::size_t, stream_t) {};
    return given;
}

std::size_t workspace_bytes(std::size_t length, const solve_options& how) {
    const krylov::problem<double> given = shape_of(length, how);
    return how.by == method::bicgstab ? krylov::bicgstab_bytes(given)
                                      : krylov::gmres_bytes(given, gmres_of(how));
}

/// Options of the inner GMRES, whose operator is the resident batches.
solve_options inner_of(solve_options how) {
    how.by = method::gmres;
    how.restart = how.inner;
    how.inner = 0;
    return how;
}

std::size_t inner_bytes(std::size_t length, const solve_options& how) {
    return how.inner == 0 ? 0 : workspace_bytes(length, inner_of(how));
}

solve_options with_restart(solve_options how, std::size_t restart) {
    how.restart = restart;
    return how;
}

/// The largest of all ranks' values.
std::uint64_t largest(const comm::communicator& ranks, std::uint64_t own) {
    const std::vector<std::uint64_t> all = ranks.gather(own);
    return *std::ranges::max_element(all);
}

/// Options of the product, with the budget that vectors and preconditioner leave.
product_options product_of(const solve_options& how, const solve_forecast& ahead) {
    product_options product = how.product;
    product.near_first = how.inner > 0;
    product.fast_memory =
        how.fast_memory ? how.fast_memory - ahead.vectors - ahead.preconditioner : 0;
    return product;
}

/// Vectors and preconditioner, with the longest cycle that the budget holds beside a product in
/// `least` bytes; else the shortest.
solve_forecast beside(std::uint64_t least, const matrix_index& index, const solve_options& how) {
    const std::size_t n = index.head.of.triangles;
    solve_options with = how;
    solve_forecast ahead;
    std::uint64_t gather = 0;
    if (how.ranks) {
        least = largest(*how.ranks, least);
        gather = row_gather::bytes_of(*how.ranks, index.head.of.rows, how.product.systems,
                                      how.product.who);
    }
    ahead.preconditioner = how.jacobi ? block_jacobi::bytes_of(index, how.ranks) : 0;
    with.restart = how.restart ? how.restart : usual_restart;
    for (;; --with.restart) {
        ahead.vectors = workspace_bytes(n, with) + inner_bytes(n, how) +
                        2 * 8 * n * how.product.systems + gather;
        ahead.least = ahead.vectors + ahead.preconditioner + least;
        const bool fits = how.fast_memory == 0 || how.fast_memory >= ahead.least;
        if (fits || how.restart || with.restart == least_restart) break;
    }
    ahead.restart = with.restart;
    return ahead;
}

/// The index of a matrix that is not built yet: low-rank leaves have rank 0.
matrix_index before_build(const surface& of, const build_options& how) {
    matrix_index index;
    index.head.of = identity_of(of, how);
    const row_range rows{index.head.of.first_row, index.head.of.rows};
    for (const block& b : within(touching(leaves_of(of.tree, how.eta), rows), rows))
        index.leaves.push_back({0, b.row, b.rows, b.column, b.columns, b.admissible ? 0 : dense});
    return index;
}

std::string too_small(std::size_t budget) {
    return "fast memory of " + bytes_text(budget) + " is too small to solve with this matrix; ";
}

}  // namespace

solve_forecast foresee(const matrix_index& index, const solve_options& how) {
    if (how.inner > 0 && how.by != method::fgmres)
        throw usage_error("inner iterations are a preconditioner that changes: they need fgmres");
    if (how.inner > 0 && !how.product.pinned)
        throw usage_error("inner iterations need batches that stay in fast memory");
    product_options product = how.product;
    product.fast_memory = 0;
    solve_forecast ahead = beside(forecast(index, product).least, index, how);
    if (how.fast_memory > 0 && how.fast_memory < ahead.least)
        throw usage_error(too_small(how.fast_memory) + "give " + bytes_text(ahead.least) +
                          " or more");
    ahead.product = forecast(index, product_of(how, ahead));
    return ahead;
}

void require_budget(const surface& of, const build_options& build, const solve_options& how) {
    if (how.fast_memory == 0) return;
    const matrix_index index = before_build(of, build);
    const std::uint64_t least = beside(least_of_any(index, how.product), index, how).least;
    if (how.fast_memory < least)
        throw usage_error(too_small(how.fast_memory) + "it takes at least " + bytes_text(least) +
                          "; the exact number needs the built matrix");
}

std::size_t expected_products(std::size_t triangles, const solve_options& how) {
    // steps for the bumpy surface, 5120 triangles, until 1e-6; a quarter more for each factor of 4
    const double steps = how.by == method::bicgstab ? (how.jacobi ? 28 : 38) : how.jacobi ? 22 : 29;
    const double growth = std::pow(static_cast<double>(triangles) / 5120, 0.16);
    const double digits = -std::log10(how.tolerance) / 6;
    return static_cast<std::size_t>(std::lround(std::max(1.0, steps * growth * digits))) + 1;
}

solver::solver(const matrix_paths& paths, const matrix_index& index, const solve_options& how)
    : how_(how),
      length_(index.head.of.triangles),
      ahead_(foresee(index, how)),
      matrix_(paths, index, product_of(how, ahead_)),
      workspace_(how.product.who, memory::local_kind(how.product.who),
                 workspace_bytes(length_, with_restart(how, ahead_.restart))),
      vectors_(memory::local_kind(how.product.who), 2 * length_ * how.product.systems,
               {.device = how.product.who.number}) {
    if (how.ranks)
        gather_.emplace(*how.ranks, row_range{index.head.of.first_row, index.head.of.rows}, length_,
                        how.product.systems, how.product.who);
    else if (index.head.of.rows != length_)
        throw usage_error(paths.first() + " has " + std::to_string(index.head.of.rows) +
                          " rows of " + std::to_string(length_) +
                          ": the others are of other ranks");
    if (how.jacobi) jacobi_.emplace(paths, index, how.product.who, how.ranks);
    if (how.inner > 0)
        inner_.emplace(how.product.who, memory::local_kind(how.product.who),
                       inner_bytes(length_, how));
}

void solver::multiply(double* y, const double* x, std::size_t systems, stream_t stream) {
    matrix_.apply(y, x, systems, stream);
    if (gather_) (*gather_)(y, systems, stream);
}

/// z = R^-1 r, about, by a few steps of GMRES. Before the first product no batch is resident: then
/// z is that of block-Jacobi, or r.
void solver::precondition(double* z, const double* r, stream_t stream) {
    krylov::problem<double> given = shape_of(length_, inner_of(how_));
    if (jacobi_)
        given.m = [this](double* to, const double* from, std::size_t systems, stream_t on) {
            jacobi_->apply(to, from, systems, on);
        };
    if (matrix_.products() == 0) {
        const std::size_t bytes = 8 * length_ * how_.product.systems;
        if (jacobi_) return jacobi_->apply(z, r, how_.product.systems, stream);
        return memory::copy(how_.product.who, z, r, bytes, stream);
    }
    given.stream = stream;
    given.a.apply = [this](double* y, const double* x, std::size_t systems, stream_t on) {
        matrix_.apply_resident(y, x, systems, on);
        if (gather_) (*gather_)(y, systems, on);
    };
    given.b = r;
    given.x = z;
    given.from_zero = true;
    krylov::gmres(given, *inner_, {.relative = inner_tolerance, .iterations = how_.inner},
                  {how_.inner, false});
}

krylov::problem<double> solver::problem() const {
    krylov::problem<double> given = shape_of(length_, how_);
    if (jacobi_)
        given.m = [this](double* z, const double* r, std::size_t systems, stream_t stream) {
            jacobi_->apply(z, r, systems, stream);
        };
    given.b = vectors_.data();
    given.x = vectors_.data() + length_ * how_.product.systems;
    given.from_zero = true;
    return given;
}

/// The stopping rule of the solver; the caller of any rank stops all ranks.
krylov::stopping solver::stopping_of(const solve_progress& progress, std::size_t products) const {
    krylov::stopping when{.relative = how_.tolerance, .iterations = how_.iterations};
    if (!progress) return when;
    when.stop = [=, this, &progress](std::span<const krylov::report> now) {
        double largest = 0;
        for (const krylov::report& one : now)
            if (one.norm_b > 0) largest = std::max(largest, one.recursive_residual / one.norm_b);
        const bool stops = !progress(matrix_.products() - products, largest);
        return how_.ranks ? how_.ranks->sum(std::uint64_t{stops}) > 0 : stops;
    };
    return when;
}

solution solver::solve(std::span<const double> b, const solve_progress& progress) {
    const std::size_t elements = length_ * how_.product.systems;
    if (b.size() != elements)
        throw usage_error(std::to_string(b.size()) + " elements of right-hand sides for " +
                          std::to_string(how_.product.systems) + " x " + std::to_string(length_));
    auto* at = reinterpret_cast<std::byte*>(vectors_.data());
    placed(at, std::vector<double>(b.begin(), b.end()), how_.product.who);
    const std::size_t products = matrix_.products();
    const std::uint64_t read = matrix_.bytes_read();
    const double start = measure::now(), waited = matrix_.seconds_waited();
    krylov::problem<double> given = problem();
    if (how_.inner > 0)
        given.m = [this](double* z, const double* r, std::size_t, stream_t stream) {
            precondition(z, r, stream);
        };
    given.a.apply = [this](double* y, const double* x, std::size_t systems, stream_t stream) {
        multiply(y, x, systems, stream);
    };
    const krylov::stopping when = stopping_of(progress, products);
    const krylov::reports reports =
        how_.by == method::bicgstab
            ? krylov::bicgstab(given, workspace_, when)
            : krylov::gmres(given, workspace_, when, gmres_of(with_restart(how_, ahead_.restart)));
    return {.x = memory::read_back(how_.product.who, given.x, elements),
            .reports = reports,
            .products = matrix_.products() - products,
            .seconds = measure::now() - start,
            .waited = matrix_.seconds_waited() - waited,
            .bytes_read = matrix_.bytes_read() - read};
}

}  // namespace watari::hmatrix
