// A hop of the CPU: streaming stores write the same bits as other stores, and the sums are those of
// the written values.
#include "../native/problem/fields.hpp"

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

constexpr extents size{2, 4, 2, 16};
constexpr std::size_t systems = 2, length = systems * size.half() * spinor;
constexpr std::size_t pieces = size.half() / piece_sites;

template <class Real>
struct hop_result {
    std::vector<complex<Real>> out, left, other;
    std::vector<double> partials;  // [system][piece][all_sums]
};

/// Runs a hop of two systems with all optional arguments, as if the cache had `cache` bytes.
template <class Real>
hop_result<Real> hop_with(std::size_t cache, unsigned elements) {
    const auto links = drawn<Real>(8 * size.half() * elements, 1);
    const auto clover = drawn<Real>(size.half() * packed, 2), in = drawn<Real>(length, 3),
               diagonal = drawn<Real>(length, 4);
    hop_result<Real> result{.out = std::vector<complex<Real>>(length),
                            .left = drawn<Real>(length, 5),
                            .other = drawn<Real>(length, 6),
                            .partials = std::vector<double>(systems * pieces * all_sums)};
    hop_arguments<Real> a{.where = {size, 3},
                          .link_elements = elements,
                          .links = links.data(),
                          .clover = clover.data(),
                          .in = in.data(),
                          .out = result.out.data(),
                          .diagonal = diagonal.data(),
                          .factor = Real(0.25),
                          .systems = systems,
                          .left = result.left.data(),
                          .other = result.other.data(),
                          .partials = result.partials.data()};
    const cache_of bytes(cache);
    kernels<Real>::cpu.tuned_hop(a, nullptr);
    return result;
}

template <class Real>
std::vector<std::byte> bits(const hop_result<Real>& of) {
    const auto raw = [](const auto& values) { return std::as_bytes(std::span(values)); };
    std::vector<std::byte> result(raw(of.out).begin(), raw(of.out).end());
    result.insert(result.end(), raw(of.partials).begin(), raw(of.partials).end());
    return result;
}

TEST(HopOfACpu, HasTheSameBitsWithStoresThatPassByTheCaches) {
    for (const unsigned elements : {9u, 6u}) {
        EXPECT_EQ(bits(hop_with<double>(0, elements)), bits(hop_with<double>(SIZE_MAX, elements)));
        EXPECT_EQ(bits(hop_with<float>(0, elements)), bits(hop_with<float>(SIZE_MAX, elements)));
    }
}

TEST(HopOfACpu, SumsWhatItWrote) {
    const auto hop = hop_with<double>(SIZE_MAX, 9);
    constexpr std::size_t one = length / systems;
    for (std::size_t s = 0; s < systems; ++s) {
        double sums[all_sums]{}, expected[all_sums]{};
        for (std::size_t n = 0; n < pieces * all_sums; ++n)
            sums[n % all_sums] += hop.partials[s * pieces * all_sums + n];
        for (std::size_t i = s * one; i < (s + 1) * one; ++i) {
            const complex<double> left = hop.left[i], out = hop.out[i], other = hop.other[i];
            const complex<double> dots[]{conjugate(left) * out, conjugate(other) * out,
                                         conjugate(other) * left};
            for (std::size_t k = 0; k < 3; ++k) {
                expected[k == 0 ? 0 : 2 * k + 1] += dots[k].re;
                expected[k == 0 ? 1 : 2 * k + 2] += dots[k].im;
            }
            expected[few_sums - 1] += out.re * out.re + out.im * out.im;
        }
        for (std::size_t k = 0; k < all_sums; ++k) EXPECT_NEAR(sums[k], expected[k], 1e-9) << k;
    }
}

}  // namespace
}  // namespace watari::lattice
