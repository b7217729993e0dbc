// The matrix divided among ranks: hmatrix_on_ranks FOLDER, started by mpirun.
//
// Each rank builds its rows into a file of the folder, and solves with the others; the solution has
// the bits of one process with all rows. Exit code 77: this machine has no MPI.
#include "watari/comm/communicator.hpp"
#include "watari/core/error.hpp"
#include "watari/hmatrix/build/build.hpp"
#include "watari/hmatrix/solve.hpp"
#include "watari/hmatrix/surface/shapes.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>

using namespace watari;
using namespace watari::hmatrix;

namespace {

constexpr int skipped = 77;

void require(bool is_so, const std::string& what) {
    if (!is_so) throw error(what);
}

/// The matrix of this rank, and the whole one, in files that the destructor removes.
struct matrices {
    explicit matrices(const std::string& folder, const comm::communicator& all)
        : of(shape("bumpy:8")),
          own(folder + "/own-" + std::to_string(all.rank())),
          whole(folder + "/whole-" + std::to_string(all.rank())) {
        const std::vector<block> leaves = leaves_of(of.tree, how.eta);
        build(of, whole, how);
        how.rows =
            divided(of.tree, leaves,
                    static_cast<std::size_t>(all.size()))[static_cast<std::size_t>(all.rank())];
        build(of, own, how);
    }
    matrices(const matrices&) = delete;
    ~matrices() { unlink(own.c_str()), unlink(whole.c_str()); }

    surface of;
    build_options how{.eps = 1e-5, .threads = 1};
    std::string own, whole;
};

solution solved(const std::string& path, const surface& of, const solve_options& how) {
    std::vector<double> b(of.signs);
    for (std::size_t s = 1; s < how.product.systems; ++s)
        for (const panel& one : of.panels)
            b.push_back(std::sin(one.centroid.x + static_cast<double>(s)));
    solver by(path, read_index(path), how);
    return by.solve(b);
}

/// Solves by every method, preconditioner and budget, with one and three right-hand sides.
void solve_all(const matrices& m, const comm::communicator& all) {
    for (const method by : {method::gmres, method::bicgstab, method::fgmres})
        for (const bool jacobi : {true, false})
            for (const std::size_t systems : {1, 3}) {
                solve_options how{.by = by, .jacobi = jacobi};
                how.product.systems = systems;
                how.product.batch_bytes = 1 << 16;
                how.product.direct = false;
                const solution expected = solved(m.whole, m.of, how);
                how.ranks = &all;
                how.restart = usual_restart;
                for (const bool streamed : {false, true}) {
                    if (streamed) how.fast_memory = foresee(read_index(m.own), how).least;
                    const solution found = solved(m.own, m.of, how);
                    require(found.x == expected.x, "other bits than those of one process");
                    require(found.products == expected.products, "another number of products");
                    require(found.reports[0].converged(), "no convergence");
                    require(!streamed || found.bytes_read > 0, "nothing was read");
                }
            }
}

/// Inner iterations use the resident part of each rank. The bits are the same on all ranks, but
/// differ from those of one process.
void solve_with_inner(const matrices& m, const comm::communicator& all) {
    solve_options how{.by = method::fgmres, .inner = 5, .ranks = &all};
    how.product.batch_bytes = 1 << 15;
    how.product.direct = false;
    how.fast_memory = foresee(read_index(m.own), how).least + read_index(m.own).data_bytes() / 2;
    const solution found = solved(m.own, m.of, how);
    require(found.reports[0].converged(), "inner iterations: no convergence");
    for (const double first : all.gather(found.x[found.x.size() / 2]))
        require(first == found.x[found.x.size() / 2], "inner iterations: ranks differ");
}

/// A budget that is too small for one rank is refused by all, with one number.
void refuse_a_budget(const matrices& m, const comm::communicator& all) {
    solve_options how{.ranks = &all};
    const std::uint64_t least = foresee(read_index(m.own), how).least;
    for (const std::uint64_t one : all.gather(least)) require(one == least, "ranks differ");
    how.fast_memory = 1 << 12;
    try {
        foresee(read_index(m.own), how);
    } catch (const usage_error&) {
        return;
    }
    throw error("a budget of 4 KiB is not refused");
}

/// A stop by the caller of one rank stops all ranks.
void stop_all(const matrices& m, const comm::communicator& all) {
    solver by(m.own, read_index(m.own), {.ranks = &all});
    const bool last = all.rank() + 1 == all.size();
    const solution found =
        by.solve(m.of.signs, [=](std::size_t products, double) { return !last || products < 3; });
    require(found.reports[0].reason == krylov::ending::stopped, "one rank stopped, not all");
}

}  // namespace

int main(int count, char** words) {
    if (count != 2) return std::fprintf(stderr, "hmatrix_on_ranks FOLDER\n"), 2;
    try {
        const comm::communicator& all = comm::world();
        {
            const matrices m(words[1], all);
            solve_all(m, all);
            solve_with_inner(m, all);
            refuse_a_budget(m, all);
            stop_all(m, all);
        }
        comm::finish();
        return 0;
    } catch (const unsupported& reason) {
        std::fprintf(stderr, "skipped: %s\n", reason.what());
        return skipped;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
}
