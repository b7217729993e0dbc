/// Charge densities of a surface at given potentials: A sigma = 4 pi eps0 phi, A_ij = I(T_j, c_i),
/// by a Krylov solver whose operator is an H-matrix in a file, within a budget of fast memory.
///
///     surface of(checked(shape("bumpy:32"), repair::no, facts));
///     build(of, "bumpy.hm", {.eps = 1e-6});
///     solver by("bumpy.hm", read_index("bumpy.hm"), {.fast_memory = 1 << 26});
///     const solution found = by.solve(of.signs);
///
/// Reads: a product reads all batches that are not resident, once. BiCGSTAB has 2 products a step,
/// and one more to check the true residual. GMRES has 1 a step, and one more a cycle, for the true
/// residual. Right-hand sides share each read. Block-Jacobi saves a fifth to a third of the steps
/// and reads nothing. Inner iterations (fgmres) take several steps with what was read once: the
/// preconditioner solves with the resident batches, those next to the diagonal.
#pragma once

#include "watari/hmatrix/build/build.hpp"
#include "watari/hmatrix/product/jacobi.hpp"
#include "watari/hmatrix/product/matrix.hpp"
#include "watari/hmatrix/ranks/row_gather.hpp"
#include "watari/krylov/gmres.hpp"
#include "watari/krylov/problem.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace watari::hmatrix {

enum class method { bicgstab, gmres, fgmres };

struct solve_options {
    product_options product{};    ///< processor, engine, systems
    std::size_t fast_memory = 0;  ///< bytes for vectors, preconditioner, batches; 0: no limit
    method by = method::gmres;
    bool jacobi = true;
    double tolerance = 1e-6;  ///< |b - A x| / |b|
    std::size_t iterations = 1000;
    /// Steps of GMRES with the resident batches, as preconditioner of each step of fgmres; 0: none.
    /// These steps read nothing.
    std::size_t inner = 0;
    std::size_t restart = 0;  ///< of GMRES; 0: up to usual_restart, as the budget allows
    /// The ranks, each with a file of its rows and a budget of its own; null: one file has all
    /// rows.
    const comm::communicator* ranks = nullptr;
};
inline constexpr std::size_t usual_restart = 30, least_restart = 10;

struct solve_forecast {
    product_forecast product;
    std::uint64_t vectors = 0, preconditioner = 0;  ///< bytes
    std::uint64_t least = 0;                        ///< smallest budget, bytes
    std::size_t restart = 0;
    std::uint64_t memory() const { return product.memory + vectors + preconditioner; }
};

/// Forecasts a solve; reads nothing. Throws usage_error, which names `least`, if the budget is
/// below it. With ranks, all of them call it: `least` is that of the rank that needs the most, the
/// rest is this rank's own.
solve_forecast foresee(const matrix_index& index, const solve_options& how);

/// Throws usage_error if the budget is too small whatever the ranks of the matrix will be: before
/// it is built its low-rank leaves count 0 bytes. A budget that passes may be below `least` of
/// solve_forecast. With ranks, all of them call it.
void require_budget(const surface& of, const build_options& build, const solve_options& how);

/// Estimates the products until a tolerance, to plan a run, from those of the spheres, scans and
/// bumps in cases/hmatrix/README.md.
std::size_t expected_products(std::size_t triangles, const solve_options& how);

struct solution {
    std::vector<double> x;  ///< by system, in the order of the tree
    krylov::reports reports;
    std::size_t products = 0;
    double seconds = 0, waited = 0;  ///< in all; waiting for data
    std::uint64_t bytes_read = 0;
};

/// Receives the products so far and the systems' largest residual |r| / |b|; false: stop.
using solve_progress = std::function<bool(std::size_t products, double residual)>;

class solver {
public:
    /// Throws what matrix_product, block_jacobi and row_gather throw. With ranks, every rank
    /// constructs a solver and calls each function.
    solver(const matrix_paths& paths, const matrix_index& index, const solve_options& how);

    const solve_forecast& ahead() const { return ahead_; }
    matrix_product& matrix() { return matrix_; }

    /// y_s = A x_s, of all rows, in memory of the processor; see matrix_product.
    void multiply(double* y, const double* x, std::size_t systems, stream_t stream = nullptr);

    /// Solves for right-hand sides that follow each other in `b`, in the order of the tree. Does
    /// not throw if a system does not converge: see the reports.
    solution solve(std::span<const double> b, const solve_progress& progress = {});

private:
    krylov::problem<double> problem() const;
    krylov::stopping stopping_of(const solve_progress& progress, std::size_t products) const;
    void precondition(double* z, const double* r, stream_t stream);

    solve_options how_;
    std::size_t length_;
    solve_forecast ahead_;
    std::optional<block_jacobi> jacobi_;
    matrix_product matrix_;
    std::optional<row_gather> gather_;
    krylov::workspace workspace_;
    std::optional<krylov::workspace> inner_;
    memory::buffer<double> vectors_;  ///< b, x
};

}  // namespace watari::hmatrix
