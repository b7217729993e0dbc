// The report of a solve that did not converge.
#include "../native/solver/record.hpp"

#include "errors.hpp"
#include "watari/core/error.hpp"

#include <gtest/gtest.h>

namespace watari::lattice {
namespace {

TEST(LatticeRecord, NamesReasonAndStepOfASolveThatFailed) {
    for (const auto& [reason, text] :
         {std::pair(krylov::ending::breakdown, "breakdown at step 7, after 13 applications of D"),
          std::pair(krylov::ending::stopped, "limit of iterations at step 7"),
          std::pair(krylov::ending::inaccurate, "inaccurate at step 7")}) {
        krylov::report good, bad;
        good.reason = krylov::ending::converged;
        bad = {.reason = reason,
               .iterations = 7,
               .applications = 13,
               .recursive_residual = 0.5,
               .norm_b = 2};
        measure::trial made;
        expect_error<error>([&] { record_solve(made, {good, bad}); }, {text, "2.500e-01"});
    }
}

TEST(LatticeRecord, HasTheWorstResidualOfSeveralSystems) {
    krylov::report one;
    one.reason = krylov::ending::converged;
    one.applications = 20, one.true_residual = 1e-13, one.norm_b = 2;
    krylov::report other = one;
    other.true_residual = 4e-13;
    measure::trial made;
    record_solve(made, {one, other});
    EXPECT_EQ(made.quantities.at("iterations").value, 20);
    EXPECT_DOUBLE_EQ(made.quantities.at("residual").value, 2e-13);
    EXPECT_DOUBLE_EQ(made.quantities.at("source_norm2").value, 4);
}

}  // namespace
}  // namespace watari::lattice
