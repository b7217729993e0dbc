// The loop allocates nothing: many iterations allocate as often as few do.
#include "allocations.hpp"

#include "../native/lattice.hpp"
#include "watari/core/error.hpp"

namespace watari {
namespace {

TEST(Lattice, AllocatesNothingInItsLoop) {
    lattice::parameters p;
    p.style = "system", p.size = {4, 4, 4, 4};
    for (const auto arithmetic :
         {lattice::arithmetic::double_precision, lattice::arithmetic::mixed}) {
        p.arithmetic = arithmetic;
        expect_few([&](int applications) {
            p.iterations = static_cast<std::size_t>(applications);
            EXPECT_THROW(lattice::run(p), error) << "not converged yet";
        });
    }
}

}  // namespace
}  // namespace watari
