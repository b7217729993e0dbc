// A hop of several right-hand sides has the same bits as hops of one: on a GPU, and by the
// unchanged source of its kernels (hop_tuned.cu) on fibers of the CPU.
#include "../native/kernels/hop.hpp"
#include "../native/kernels/site.hpp"
#include "../native/problem/fields.hpp"
#include "watari/core/loops.hpp"
#include "watari/memory/buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "tests/emulator/fibers.hpp"

namespace watari::emulated {
using namespace cpu;  // hop_body.hpp and site.hpp

/// The GPU that the kernels see.
namespace device {
using watari::device::limits;
inline limits current;
inline limits current_limits() { return current; }
}  // namespace device
}  // namespace watari::emulated

#define gpu emulated
#include "../native/kernels/hop_tuned.cu"
#undef gpu

namespace watari::lattice {
namespace {

constexpr std::size_t a_block = 227 << 10;                ///< bytes of shared memory on an H200
constexpr device::limits one_multiprocessor{1, a_block};  ///< any number of tiles fills it
constexpr device::limits many_multiprocessors{1000, a_block};

/// Hops with F^-1 alone, with the diagonal, and with sums.
enum class form { opening, closing, few, all };
constexpr form forms[]{form::opening, form::closing, form::few, form::all};

template <class Real>
class sides {
public:
    using hop = void (*)(const hop_arguments<Real>&, stream_t);
    using edges = edge_arguments<Real>;
    template <class Value>
    using values = memory::buffer<Value>;

    sides(hop run, processor who, const extents& size, unsigned elements, std::size_t systems)
        : run_(run), who_(who), size_(size), elements_(elements), systems_(systems) {}

    /// out and partials of every system, by one hop for all systems or by a hop for each.
    struct result {
        values<complex<Real>> out;
        values<double> partials;

        std::size_t differs(const result& other) const {
            const auto differing = [](const auto& a, const auto& b) {
                std::size_t n = 0;
                for (std::size_t i = 0; i < a.size(); ++i)
                    n += std::memcmp(a.data() + i, b.data() + i, sizeof *a.data()) != 0;
                return n;
            };
            return differing(out, other.out) + differing(partials, other.partials);
        }
    };
    result at_once(form of) const { return applied(of, systems_); }
    result one_by_one(form of) const { return applied(of, 1); }

    /// Counts the elements of out that differ from hop_at of the CPU. Sums are not compared.
    std::size_t differs_from_the_cpu(const result& made, form of) const {
        hop_arguments<Real> a = arguments(of);
        std::size_t n = 0;
        const auto compare = [&](std::size_t e, const complex<Real>& value) {
            n += std::memcmp(&value, made.out.data() + e, sizeof value) != 0;
        };
        for (std::size_t system = 0; system < systems_; ++system)
            for (unsigned site = 0; site < size_.half(); ++site)
                elements_ == 6 ? cpu::hop_at<6, cpu::plain>(a, site, system, compare)
                               : cpu::hop_at<9, cpu::plain>(a, site, system, compare);
        return n;
    }

    /// Returns the largest error of a sum, relative to the sum of its absolute terms, by plain
    /// loops.
    double most_wrong(const result& made, form of) const {
        const hop_arguments<Real> a = arguments(of);
        if (!a.left) return 0;
        const unsigned width = a.width();
        const std::size_t pieces = made.partials.size() / width / systems_;
        std::vector<double> expected(made.partials.size()), size(made.partials.size());
        for (std::size_t system = 0; system < systems_; ++system)
            for (unsigned site = 0; site < half(); ++site)
                for (unsigned c = 0; c < spinor; ++c) {
                    const std::size_t e = system * vector() + a.where.element(spinor, site, c);
                    const complex<double> none, out(made.out.data()[e]), left(a.left[e]),
                        other(a.other ? complex<double>(a.other[e]) : none);
                    const complex<double> dots[]{conjugate(left) * out, conjugate(other) * out,
                                                 conjugate(other) * left};
                    const double all[]{dots[0].re, dots[0].im, squared_size(out), dots[1].re,
                                       dots[1].im, dots[2].re, dots[2].im};
                    const std::size_t first = width * (system * pieces + site / piece_sites);
                    for (unsigned k = 0; k < width; ++k) {
                        expected[first + k] += all[k];
                        size[first + k] += std::abs(all[k]);
                    }
                }
        double most = 0;
        for (std::size_t i = 0; i < expected.size(); ++i)
            most = std::max(most, std::abs(made.partials.data()[i] - expected[i]) / size[i]);
        return most;
    }

    /// The partial sums that sum_edges leaves after those of `made` were lost, in a part that is
    /// divided along some directions.
    values<double> sums_of_edges(const result& made, form of, void (*run)(const edges&, stream_t),
                                 const extents& split) const {
        edges a = divided(of, split);
        values<double> again = empty<double>(made.partials.size());
        std::fill_n(again.data(), again.size(), lost);
        a.hop.out = const_cast<complex<Real>*>(made.out.data());
        a.hop.partials = again.data();
        run(a, nullptr);
        if (who_.is_gpu()) device::synchronize(nullptr);
        return again;
    }
    static constexpr double lost = -1;

    /// Counts the sums of pieces with a site at an edge that are not those of `made`, and the sums
    /// of other pieces that are not lost.
    std::size_t differs_at_edges(const result& made, const values<double>& again, form of,
                                 const extents& split) const {
        const edges a = divided(of, split);
        const std::size_t width = a.hop.width(), pieces = again.size() / width / systems_;
        std::vector<bool> has_edge(pieces);
        for (unsigned site = 0; site < half(); ++site) {
            const point p = point_of(size_, a.hop.parity, site);
            for (unsigned d = 0; d < 4; ++d)
                if (extent(split, d) > 1 && (p.at[d] == 0 || p.at[d] == extent(size_, d) - 1))
                    has_edge[site / piece_sites] = true;
        }
        std::size_t n = 0;
        for (std::size_t i = 0; i < again.size(); ++i)
            n += again.data()[i] != (has_edge[i / width % pieces] ? made.partials.data()[i] : lost);
        return n;
    }

private:
    edges divided(form of, const extents& split) const {
        edges a{.hop = arguments(of)};
        for (unsigned d = 0; d < 4; ++d)
            if (extent(split, d) > 1) a.halo[d][0] = a.halo[d][1] = in_.data();
        return a;
    }
    values<complex<Real>> random(std::size_t count, unsigned seed) const {
        values<complex<Real>> made = empty<complex<Real>>(count);
        std::mt19937 engine(seed);
        std::uniform_real_distribution<Real> any(-1, 1);
        for (std::size_t i = 0; i < count; ++i) made.data()[i] = {any(engine), any(engine)};
        return made;
    }
    template <class Value>
    values<Value> empty(std::size_t count) const {
        return {who_.is_gpu() ? memory::kind::managed : memory::kind::pageable,
                count,
                {.device = who_.number}};
    }

    hop_arguments<Real> arguments(form of) const {
        hop_arguments<Real> a{
            .where = geometry_of({.style = "", .processor = gpu_number(0), .size = size_}),
            .parity = of == form::opening ? 1u : 0u,
            .link_elements = elements_,
            .links = links_.data(),
            .clover = clover_.data(),
            .in = in_.data(),
            .systems = systems_};
        if (of != form::opening) {
            a.diagonal = diagonal_.data();
            a.factor = Real(0.3);
        }
        if (of == form::few) a.left = left_.data();
        if (of == form::all) {
            a.left = diagonal_.data();
            a.other = left_.data();
        }
        return a;
    }

    result applied(form of, std::size_t each) const {
        const std::size_t pieces = (half() + piece_sites - 1) / piece_sites;
        const std::size_t sums = arguments(of).width() * pieces;
        result made{empty<complex<Real>>(systems_ * vector()), empty<double>(systems_ * sums)};
        std::fill_n(made.partials.data(), made.partials.size(), 0.0);
        for (std::size_t first = 0; first < systems_; first += each) {
            hop_arguments<Real> a = arguments(of);
            a.systems = each;
            a.in += first * vector();
            a.out = made.out.data() + first * vector();
            if (a.diagonal) a.diagonal += first * vector();
            if (a.other) a.other += first * vector();
            if (a.left) {
                a.left += first * vector();
                a.partials = made.partials.data() + first * sums;
            }
            run_(a, nullptr);
        }
        if (who_.is_gpu()) device::synchronize(nullptr);
        return made;
    }

    std::size_t half() const { return size_.half(); }
    std::size_t vector() const { return half() * spinor; }

    hop run_;
    processor who_;
    extents size_;
    unsigned elements_;
    std::size_t systems_;
    values<complex<Real>> links_ = random(8 * half() * elements_, 1);
    values<complex<Real>> clover_ = random(half() * packed, 2);
    values<complex<Real>> in_ = random(systems_ * vector(), 3);
    values<complex<Real>> diagonal_ = random(systems_ * vector(), 4);
    values<complex<Real>> left_ = random(systems_ * vector(), 5);
};

template <class Real>
void expect_the_bits_of_one(const extents& size, unsigned elements, std::size_t systems,
                            const device::limits& has, bool by_tiles) {
    SCOPED_TRACE(testing::Message() << size.x << 'x' << size.y << 'x' << size.z << 'x' << size.t
                                    << ", links " << 2 * elements << ", rhs " << systems);
    const sides<Real> fields(emulated::tuned_hop<Real>, the_cpu, size, elements, systems);
    for (const form of : forms) {
        emulated::device::current = has;
        const auto several = fields.at_once(of);
        EXPECT_EQ(!emulated::shared_memory.empty(), by_tiles);
        EXPECT_EQ(several.differs(fields.one_by_one(of)), 0u);
        EXPECT_EQ(fields.differs_from_the_cpu(several, of), 0u);
        EXPECT_LT(fields.most_wrong(several, of), 1e-5);
    }
}

TEST(hop_of_several_sides, by_tiles_has_the_bits_of_one) {
    for (const extents& size : {extents{4, 6, 8, 16}, extents{2, 4, 4, 32}, extents{2, 2, 2, 256},
                                extents{2, 4, 2, 128}, extents{4, 2, 16, 4}}) {
        expect_the_bits_of_one<double>(size, 9, 3, one_multiprocessor, true);
        expect_the_bits_of_one<double>(size, 6, 2, one_multiprocessor, true);
    }
    expect_the_bits_of_one<double>({2, 4, 4, 16}, 9, 12, one_multiprocessor, true);
}

TEST(hop_of_several_sides, in_single_precision_has_the_bits_of_one) {
    expect_the_bits_of_one<float>({4, 2, 4, 16}, 9, 3, one_multiprocessor, true);
    expect_the_bits_of_one<float>({2, 4, 4, 16}, 6, 12, one_multiprocessor, true);
}

TEST(hop_of_several_sides, which_no_tile_fits_has_the_bits_of_one) {
    for (const extents& size : {extents{4, 4, 6, 8}, extents{2, 4, 4, 12}, extents{2, 2, 2, 6}})
        expect_the_bits_of_one<double>(size, 9, 3, one_multiprocessor, false);
    expect_the_bits_of_one<double>({4, 4, 4, 16}, 9, 3, many_multiprocessors, false);
    expect_the_bits_of_one<float>({4, 4, 4, 16}, 6, 12, many_multiprocessors, false);
}

TEST(hop_of_several_sides, needs_the_shared_memory_of_a_tile) {
    const device::limits small{1, 99 << 10};  // shared memory of a block on many GPUs
    expect_the_bits_of_one<double>({4, 4, 4, 16}, 9, 3, small, false);
    expect_the_bits_of_one<float>({4, 4, 4, 16}, 9, 3, small, true);
}

TEST(hop_of_several_sides, has_each_site_in_one_tile_and_whole_pieces) {
    for (const extents& size : {extents{4, 6, 8, 16}, extents{6, 4, 32, 2}, extents{2, 6, 2, 64},
                                extents{2, 2, 4, 256}}) {
        const auto tiles = emulated::tiling::of(size);
        ASSERT_TRUE(tiles.fits());
        std::set<unsigned> sites;
        for (unsigned n = 0; n < size.half(); ++n) {
            const unsigned site = tiles.site(size, n / 128, n % 128);
            sites.insert(site);
            EXPECT_EQ(site % 32, n % 32);
            EXPECT_EQ(site / 32, tiles.site(size, n / 128, n % 128 / 32 * 32) / 32);
        }
        EXPECT_EQ(sites.size(), size.half());
        EXPECT_EQ(*sites.rbegin(), size.half() - 1);
    }
}

/// Sizes of 256 tiles, of 64 tiles (too few for a large GPU), and without tiles.
template <class Real>
void expect_the_bits_of_one_on_a_gpu() {
    if (device::count() == 0) GTEST_SKIP() << device::absent_reason();
    const auto hop = kernels_on<kernels<Real>>(gpu_number(0)).tuned_hop;
    for (const extents& size : {extents{16, 16, 16, 16}, extents{8, 8, 8, 32}, extents{4, 4, 6, 8}})
        for (const unsigned elements : {9u, 6u})
            for (const std::size_t systems : {12, 3}) {
                const sides<Real> fields(hop, gpu_number(0), size, elements, systems);
                for (const form of : forms)
                    EXPECT_EQ(fields.at_once(of).differs(fields.one_by_one(of)), 0u)
                        << size.x << 'x' << size.y << 'x' << size.z << 'x' << size.t << ", links "
                        << 2 * elements << ", rhs " << systems;
            }
}

TEST(hop_of_several_sides, on_a_gpu_has_the_bits_of_one) {
    expect_the_bits_of_one_on_a_gpu<double>();
}
TEST(hop_of_several_sides, on_a_gpu_in_single_precision_has_the_bits_of_one) {
    expect_the_bits_of_one_on_a_gpu<float>();
}

/// The sums of a hop, and those of its edges computed again, in pieces with and without edges.
template <class Real>
void expect_the_sums_of_the_hop(typename sides<Real>::hop hop,
                                void (*sum_edges)(const edge_arguments<Real>&, stream_t),
                                processor who) {
    emulated::device::current = one_multiprocessor;
    // also with pieces that are not full (2x2x4x6), and with pieces inside along z (4x4x16x16)
    for (const extents& size : {extents{4, 6, 8, 16}, extents{2, 4, 4, 12}, extents{4, 4, 4, 32},
                                extents{2, 2, 4, 6}, extents{4, 4, 16, 16}})
        for (const std::size_t systems : {1, 3}) {
            const sides<Real> fields(hop, who, size, 9, systems);
            for (const form of : {form::few, form::all})
                for (const extents& split : {extents{2, 1, 1, 1}, extents{1, 1, 2, 1},
                                             extents{1, 1, 1, 4}, extents{2, 2, 1, 1}}) {
                    const auto made = fields.at_once(of);
                    const auto again = fields.sums_of_edges(made, of, sum_edges, split);
                    EXPECT_EQ(fields.differs_at_edges(made, again, of, split), 0u)
                        << size.x << 'x' << size.y << 'x' << size.z << 'x' << size.t << ", rhs "
                        << systems << ", split " << split.x << split.y << split.z << split.t;
                }
        }
}

TEST(sums_of_edges, are_those_of_the_hop) {
    const auto& cpu = kernels_on<kernels<double>>(the_cpu);
    expect_the_sums_of_the_hop<double>(cpu.tuned_hop, cpu.sum_edges, the_cpu);
    const auto& single = kernels_on<kernels<float>>(the_cpu);
    expect_the_sums_of_the_hop<float>(single.tuned_hop, single.sum_edges, the_cpu);
}
TEST(sums_of_edges, by_warps_are_those_of_the_hop) {
    expect_the_sums_of_the_hop<double>(emulated::tuned_hop<double>, emulated::sum_edges<double>,
                                       the_cpu);
    expect_the_sums_of_the_hop<float>(emulated::tuned_hop<float>, emulated::sum_edges<float>,
                                      the_cpu);
}
TEST(sums_of_edges, on_a_gpu_are_those_of_the_hop) {
    if (device::count() == 0) GTEST_SKIP() << device::absent_reason();
    const auto& gpu = kernels_on<kernels<double>>(gpu_number(0));
    expect_the_sums_of_the_hop<double>(gpu.tuned_hop, gpu.sum_edges, gpu_number(0));
    const auto& single = kernels_on<kernels<float>>(gpu_number(0));
    expect_the_sums_of_the_hop<float>(single.tuned_hop, single.sum_edges, gpu_number(0));
}

}  // namespace
}  // namespace watari::lattice
