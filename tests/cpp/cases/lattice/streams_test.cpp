// A hop whose stores pass by the caches has the bits of one whose stores do not.
#include "watari/cases/lattice/problem/fields.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "core/cache_of.hpp"

namespace watari::lattice {
namespace {

template <class Real>
std::vector<complex<Real>> drawn(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<Real> number(-1, 1);
    std::vector<complex<Real>> result(count);
    for (complex<Real>& z : result) z = {number(random), number(random)};
    return result;
}

/// Of two systems with all that a hop may have, by a cache of so many bytes.
template <class Real>
std::vector<std::byte> hop_with(std::size_t cache, unsigned elements) {
    constexpr extents size{2, 4, 2, 16};
    constexpr std::size_t systems = 2, length = systems * size.half() * spinor;
    const auto links = drawn<Real>(8 * size.half() * elements, 1);
    const auto clover = drawn<Real>(size.half() * packed, 2), in = drawn<Real>(length, 3),
               diagonal = drawn<Real>(length, 4), left = drawn<Real>(length, 5);
    std::vector<complex<Real>> out(length);
    std::vector<double> partials(systems * size.half() / piece_sites * 3);
    hop_arguments<Real> a{.where = {size, 3},
                          .link_elements = elements,
                          .links = links.data(),
                          .clover = clover.data(),
                          .in = in.data(),
                          .out = out.data(),
                          .diagonal = diagonal.data(),
                          .factor = Real(0.25),
                          .systems = systems,
                          .left = left.data(),
                          .partials = partials.data()};
    const cache_of bytes(cache);
    kernels<Real>::cpu.tuned_hop(a, nullptr);
    const auto raw = [](const auto& values) { return std::as_bytes(std::span(values)); };
    std::vector<std::byte> result(raw(out).begin(), raw(out).end());
    result.insert(result.end(), raw(partials).begin(), raw(partials).end());
    return result;
}

TEST(HopOfACpu, HasTheSameBitsWithStoresThatPassByTheCaches) {
    for (const unsigned elements : {9u, 6u}) {
        EXPECT_EQ(hop_with<double>(0, elements), hop_with<double>(SIZE_MAX, elements));
        EXPECT_EQ(hop_with<float>(0, elements), hop_with<float>(SIZE_MAX, elements));
    }
}

}  // namespace
}  // namespace watari::lattice
