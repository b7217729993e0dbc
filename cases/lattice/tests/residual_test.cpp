// The residual that is computed apart from the solver.
#include "../native/solver/residual.hpp"

#include "../native/solver/loop.hpp"
#include "../native/solver/work.hpp"
#include "watari/core/error.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <vector>

namespace watari::lattice {
namespace {

/// A lattice that was solved on the CPU.
template <class Real>
struct solved {
    explicit solved(std::size_t systems) {
        p.processor = the_cpu;
        p.size = {4, 4, 4, 8};
        p.arithmetic =
            sizeof(Real) == 4 ? arithmetic::single_precision : arithmetic::double_precision;
        p.rhs = systems;
        for (const auto& [pointer, bytes] : arrays(f, p))
            *pointer = held.emplace_back(bytes).data();
        initialise(trial, f, p);
        solve(trial, p, f, false);
    }
    std::vector<double> residuals() {
        krylov::arena from(krylov::workspace(f.work, work_bytes(p)));
        const work_areas areas(f, p, from);
        const operands<Real>* const of = [&] {
            if constexpr (sizeof(Real) == 4)
                return &areas.narrow;
            else
                return &areas.wide;
        }();
        std::vector<complex<Real>> y(p.rhs * p.size.half() * spinor);
        return plain_residuals<Real>(p, *of, numbers<Real>(f.source), solution(), y.data());
    }
    complex<Real>* solution() const { return numbers<Real>(f.solution); }

    parameters p;
    fields f;
    measure::trial trial;
    std::vector<std::vector<std::byte>> held;
};

TEST(LatticeResidual, IsThatOfTheSolverWhereTheSolutionIsRight) {
    solved<double> in_double(2);
    EXPECT_EQ(in_double.trial.wrong_elements, 0u);
    for (const double each : in_double.residuals()) EXPECT_LT(each, 1e-12);
    EXPECT_LT(in_double.trial.quantities.at("plain_residual").value, 1e-12);
    solved<float> in_float(1);
    EXPECT_EQ(in_float.trial.wrong_elements, 0u);
    EXPECT_LT(in_float.residuals()[0], 2e-6);
}

TEST(LatticeResidual, ShowsOneWrongNumberOfOneSystem) {
    solved<double> made(2);
    const std::size_t length = made.p.size.half() * spinor;
    made.solution()[length + 17].re += 1e-8;
    const std::vector<double> residuals = made.residuals();
    EXPECT_LT(residuals[0], 1e-12);
    EXPECT_GT(residuals[1], 1e-11);  // the largest that a trial accepts
}

TEST(LatticeResidual, IsNoNumberWhereTheSolutionIsNone) {
    solved<double> made(1);
    made.solution()[0].im = NAN;
    EXPECT_TRUE(std::isnan(made.residuals()[0]));
}

}  // namespace
}  // namespace watari::lattice
