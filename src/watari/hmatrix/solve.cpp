#include "watari/hmatrix/solve.hpp"

#include "watari/core/error.hpp"
#include "watari/krylov/bicgstab.hpp"
#include "watari/measure/clock.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace watari::hmatrix {

namespace {

krylov::gmres_options gmres_of(const solve_options& how) {
    return {how.restart, how.by == method::fgmres};
}

/// With what a solver needs to know to count its memory.
krylov::problem<double> shape_of(std::size_t length, const solve_options& how) {
    krylov::problem<double> given;
    given.who = how.product.who;
    given.length = length;
    given.systems = how.product.systems;
    if (how.jacobi) given.m = [](double*, const double*, std::size_t, stream_t) {};
    return given;
}

std::size_t workspace_bytes(std::size_t length, const solve_options& how) {
    const krylov::problem<double> given = shape_of(length, how);
    return how.by == method::bicgstab ? krylov::bicgstab_bytes(given)
                                      : krylov::gmres_bytes(given, gmres_of(how));
}

solve_options with_restart(solve_options how, std::size_t restart) {
    how.restart = restart;
    return how;
}

/// The budget that is left for the product.
product_options product_of(const solve_options& how, const solve_forecast& ahead) {
    product_options product = how.product;
    product.fast_memory =
        how.fast_memory ? how.fast_memory - ahead.vectors - ahead.preconditioner : 0;
    return product;
}

}  // namespace

solve_forecast foresee(const matrix_index& index, const solve_options& how) {
    const std::size_t n = index.head.of.triangles;
    solve_options with = how;
    solve_forecast ahead;
    product_options product = how.product;
    product.fast_memory = 0;
    const std::uint64_t least = forecast(index, product).least;
    ahead.preconditioner = how.jacobi ? block_jacobi::bytes_of(index) : 0;
    with.restart = how.restart ? how.restart : usual_restart;
    for (;; --with.restart) {
        ahead.vectors = workspace_bytes(n, with) + 2 * 8 * n * how.product.systems;
        ahead.least = ahead.vectors + ahead.preconditioner + least;
        const bool fits = how.fast_memory == 0 || how.fast_memory >= ahead.least;
        if (fits || how.restart || with.restart == least_restart) break;
    }
    if (how.fast_memory > 0 && how.fast_memory < ahead.least)
        throw usage_error("fast memory of " + bytes_text(how.fast_memory) +
                          " is too small to solve with this matrix; give " +
                          bytes_text(ahead.least) + " or more");
    ahead.restart = with.restart;
    ahead.product = forecast(index, product_of(how, ahead));
    return ahead;
}

std::size_t expected_products(std::size_t triangles, const solve_options& how) {
    // of the bumpy surface with 5120 triangles until 1e-6; a quarter more for each 4 x as many
    const double steps = how.by == method::bicgstab ? (how.jacobi ? 28 : 38) : how.jacobi ? 22 : 29;
    const double growth = std::pow(static_cast<double>(triangles) / 5120, 0.16);
    const double digits = -std::log10(how.tolerance) / 6;
    return static_cast<std::size_t>(std::lround(std::max(1.0, steps * growth * digits))) + 1;
}

solver::solver(const std::string& path, const matrix_index& index, const solve_options& how)
    : how_(how),
      length_(index.head.of.triangles),
      ahead_(foresee(index, how)),
      matrix_(path, index, product_of(how, ahead_)),
      workspace_(how.product.who, own_memory(how.product.who),
                 workspace_bytes(length_, with_restart(how, ahead_.restart))),
      vectors_(own_memory(how.product.who), 2 * length_ * how.product.systems,
               {.device = how.product.who.number}) {
    if (how.jacobi) jacobi_.emplace(path, index, how.product.who);
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
    given.a.apply = [this](double* y, const double* x, std::size_t systems, stream_t stream) {
        matrix_.apply(y, x, systems, stream);
    };
    krylov::stopping when{.relative = how_.tolerance, .iterations = how_.iterations};
    if (progress)
        when.stop = [&](std::span<const krylov::report> now) {
            double largest = 0;
            for (const krylov::report& one : now)
                if (one.norm_b > 0)
                    largest = std::max(largest, one.recursive_residual / one.norm_b);
            return !progress(matrix_.products() - products, largest);
        };
    solution found;
    found.reports =
        how_.by == method::bicgstab
            ? krylov::bicgstab(given, workspace_, when)
            : krylov::gmres(given, workspace_, when, gmres_of(with_restart(how_, ahead_.restart)));
    found.x.resize(elements);
    if (how_.product.who.is_gpu())
        device::read_back(found.x.data(), given.x, 8 * elements, nullptr);
    else
        std::memcpy(found.x.data(), given.x, 8 * elements);
    found.seconds = measure::now() - start;
    found.products = matrix_.products() - products;
    found.bytes_read = matrix_.bytes_read() - read;
    found.waited = matrix_.seconds_waited() - waited;
    return found;
}

}  // namespace watari::hmatrix
