// Parts of a hop on several ranks: faces, half spinors for the neighbours, and the edges.
#include <set>

#include "lattice_fields.hpp"

namespace watari::lattice {
namespace {

TEST(LatticeFaces, HaveEachSiteOnceAndTheNeighboursNumber) {
    const extents size{4, 2, 6, 8};
    for (unsigned d = 0; d < 4; ++d)
        for (const unsigned parity : {0u, 1u})
            for (const unsigned at : {0u, extent(size, d) - 1}) {
                std::set<unsigned> seen;
                for (unsigned k = 0; k < face_sites(size, d); ++k) {
                    const point p = face_point(size, d, at, parity, k);
                    ASSERT_TRUE(has(size, p));
                    EXPECT_EQ(p.at[d], at);
                    EXPECT_EQ(p.parity(), parity);
                    EXPECT_EQ(face_number(size, d, p), k);
                    EXPECT_EQ(face_number(size, d, moved(size, p, d, at != 0)), k);
                    seen.insert(number_of(size, p));
                }
                EXPECT_EQ(seen.size(), face_sites(size, d));
            }
}

class LatticeEdges : public testing::TestWithParam<variant> {};
INSTANTIATE_TEST_SUITE_P(Kernels, LatticeEdges, testing::ValuesIn(variants()), name);

TEST_P(LatticeEdges, AreThoseOfAPartThatIsItsOwnNeighbour) {
    constexpr std::size_t systems = 2;
    for (const unsigned elements : {9u, 6u})
        for (const std::array<bool, 4>& divided : {std::array{true, false, false, false},
                                                   {false, true, false, true},
                                                   {false, false, true, false},
                                                   {true, true, true, true}}) {
            lattice_fields f(GetParam(), {4, 6, 4, 8}, elements);
            f.make_clover();
            const numbers_of in = random_vector(systems * f.half() * spinor, 5);
            for (const unsigned parity : {0u, 1u}) {
                const numbers_of whole = f.hop(parity, in, true, systems);
                const numbers_of edges = f.edges(parity, in, divided, systems);
                for (std::size_t n = 0; n < whole.size(); ++n) {
                    const auto site = static_cast<unsigned>(n / spinor % f.half());
                    const point p = point_of(f.size(), parity, site);
                    bool edge = false;
                    for (unsigned d = 0; d < 4; ++d)
                        edge |= divided[d] && (p.at[d] == 0 || p.at[d] + 1 == extent(f.size(), d));
                    const number wanted = edge ? whole[n] : number{};
                    ASSERT_LT(squared_size(edges[n] - wanted), 1e-26) << site;
                }
            }
        }
}

}  // namespace
}  // namespace watari::lattice
