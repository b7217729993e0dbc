// Solvers over several ranks: the caller's sums, and the same bits as on one rank.
#include <gtest/gtest.h>

#include <barrier>
#include <numeric>

#include "krylov/dense.hpp"
#include "on_threads.hpp"
#include "watari/core/parallel/reductions.hpp"
#include "watari/core/threads.hpp"
#include "watari/krylov/bicgstab.hpp"
#include "watari/krylov/cg.hpp"
#include "watari/krylov/gmres.hpp"

namespace watari::krylov {
namespace {

constexpr std::size_t piece = 10, length = 150;

/// Threads that stand for ranks: each has whole pieces of the rows, and sees the vectors of the
/// others.
class team_of_ranks {
public:
    team_of_ranks(dense_system<double>& system, std::size_t ranks)
        : system_(system),
          ranks_(ranks),
          all_(length),
          ordered_(partial_doubles(length / piece, 1, 64)),
          meet_(static_cast<std::ptrdiff_t>(ranks)) {}

    std::size_t first(std::size_t rank) const { return length / piece * rank / ranks_ * piece; }

    problem<double> share(std::size_t rank) {
        problem<double> own = system_.problem();
        const std::size_t begin = first(rank), count = first(rank + 1) - begin;
        own.length = count;
        own.b = system_.b() + begin;
        own.x = system_.x() + begin;
        own.sums.piece = piece;
        own.a.apply = [=, this](double* y, const double* x, std::size_t, stream_t) {
            meet_.arrive_and_wait();
            std::copy_n(x, count, all_.data() + begin);
            meet_.arrive_and_wait();
            for (std::size_t i = 0; i < count; ++i) {
                double sum = 0;
                for (std::size_t j = 0; j < length; ++j)
                    sum = sum + system_.at(begin + i, j) * all_[j];
                y[i] = sum;
            }
        };
        own.sums.total = [=, this](double* totals, const double* partials, std::size_t pieces,
                                   std::size_t systems, std::size_t width, stream_t) {
            std::vector<std::size_t> numbers(pieces);
            std::iota(numbers.begin(), numbers.end(), begin / piece);
            meet_.arrive_and_wait();
            cpu::order_partials(ordered_.data(), length / piece, partials, numbers.data(), pieces,
                                systems, width, nullptr);
            meet_.arrive_and_wait();
            std::vector<double> copy = ordered_;
            cpu::add_partials(totals, copy.data(), length / piece, systems, width, nullptr);
        };
        return own;
    }

    template <class Solve>
    std::vector<report> run(const Solve& solve) {
        std::vector<report> result(ranks_);
        on_threads(ranks_, [&](std::size_t rank) {
            cpu::set_threads(1);
            result[rank] = solve(share(rank));
        });
        return result;
    }

private:
    dense_system<double>& system_;
    std::size_t ranks_;
    std::vector<double> all_, ordered_;
    std::barrier<> meet_;
};

template <class Solve>
void same_bits_on_ranks(dense_system<double>& system, const Solve& solve) {
    std::vector<double> one;
    std::size_t iterations = 0;
    for (const std::size_t ranks : {1u, 2u, 3u, 4u, 8u}) {
        std::fill_n(system.x(), length, 0.0);
        team_of_ranks team(system, ranks);
        for (const report& result : team.run(solve)) {
            EXPECT_TRUE(result.converged()) << ranks << ": " << name_of(result.reason);
            if (iterations == 0) iterations = result.iterations;
            EXPECT_EQ(result.iterations, iterations) << ranks;
        }
        EXPECT_LT(system.relative_residual(), 2e-10);
        if (one.empty()) one = system.solution();
        EXPECT_EQ(system.solution(), one) << ranks << " ranks";
    }
    // without the caller's sums
    std::fill_n(system.x(), length, 0.0);
    problem<double> alone = team_of_ranks(system, 1).share(0);
    alone.sums.total = {};
    alone.a = system.problem().a;
    solve(alone);
    EXPECT_EQ(system.solution(), one);
}

TEST(KrylovRanks, GiveTheBitsOfOne) {
    dense_system<double> positive(the_cpu, length), any(the_cpu, length);
    positive.fill_positive(1, 0.5);
    any.fill_random(2, 30);
    same_bits_on_ranks(positive, [&](const problem<double>& own) {
        return cg(own, room(own, cg_bytes(own))).front();
    });
    same_bits_on_ranks(any, [&](const problem<double>& own) {
        return bicgstab(own, room(own, bicgstab_bytes(own))).front();
    });
    same_bits_on_ranks(any, [&](const problem<double>& own) {
        return gmres(own, room(own, gmres_bytes(own))).front();
    });
}

TEST(KrylovProcessors, GiveTheSameBits) {
    if (device::count() == 0) GTEST_SKIP() << "no GPU";
    std::vector<complex<double>> first;
    for (const processor who : processors()) {
        dense_system<complex<double>> system(who, 400, 2);
        system.fill_random(6, 50);
        const problem<complex<double>> given = system.problem();
        bicgstab(given, room(given, bicgstab_bytes(given)));
        if (first.empty()) first = system.solution(1);
        EXPECT_TRUE(system.solution(1) == first);
    }
}

}  // namespace
}  // namespace watari::krylov
