// Kernels for both backends: links, source, F^-1 and sums over the lattice. No timed iteration
// contains them. All compute in double and store in the precision of the arrays.
#include "../problem/clover.hpp"
#include "../problem/random.hpp"
#include "hop.hpp"
#include "watari/core/parallel/reductions.hpp"

namespace watari::WATARI_BACKEND {

namespace {

using lattice::geometry;
using lattice::point;

/// Site `number` of a parity of this part, in the whole lattice.
WATARI_KERNEL inline point whole_point(const geometry& where, unsigned parity, unsigned number) {
    return lattice::in_whole(where, lattice::point_of(where.size, parity, number));
}

template <class Real>
void draw_links(geometry where, unsigned elements, complex<Real>* links, stream_t stream) {
    const std::size_t half = where.size.half();
    for_each(
        8 * half,
        [=] WATARI_KERNEL(std::size_t n) {
            const auto parity = static_cast<unsigned>(n / half / 4);
            const auto direction = static_cast<unsigned>(n / half % 4);
            const auto site = static_cast<unsigned>(n % half);
            const matrix u =
                drawn_link(where.all(), parity, direction, whole_point(where, parity, site));
            complex<Real>* const of = links + n / half * half * elements;
            for (unsigned a = 0; a < elements; ++a)
                of[where.element(elements, site, a)] = complex<Real>(u.e[a / 3][a % 3]);
        },
        stream);
}

template <class Real>
void draw_source(geometry where, unsigned parity, complex<Real>* to, stream_t stream) {
    for_each(
        where.size.half(),
        [=] WATARI_KERNEL(std::size_t n) {
            const auto site = static_cast<unsigned>(n);
            const point p = whole_point(where, parity, site);
            for (unsigned a = 0; a < lattice::spinor; ++a)
                to[where.element(lattice::spinor, site, a)] =
                    complex<Real>(drawn_source(where.all(), parity, p, a));
        },
        stream);
}

/// totals[k] = the sum of value k of element(parity, site) over all sites, by the fixed tree.
template <unsigned Width, class Element>
void sum_sites(geometry where, double* totals, const Element& element, stream_t stream) {
    const std::size_t half = where.size.half();
    const pieces range{.length = 2 * half, .piece = lattice::piece_sites};
    double* const partials = totals + Width;
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            own.sum<Width>(partials, [=](std::size_t n) {
                return element(static_cast<unsigned>(n / half), static_cast<unsigned>(n % half));
            });
        },
        stream);
    add_partials(totals, partials, range.each(), 1, Width, stream);
}

template <class Real>
void make_clover(geometry where, unsigned elements, const complex<Real>* links,
                 complex<Real>* clover, double* totals, stream_t stream) {
    const stored_links<Real> from{where, elements, links};
    sum_sites<1>(
        where, totals,
        [=] WATARI_KERNEL(unsigned parity, unsigned site) {
            complex<double> own[lattice::packed];
            const double log_determinant =
                make_clover_at(whole_point(where, parity, site), from, own);
            complex<Real>* const of = clover + parity * where.size.half() * lattice::packed;
            for (unsigned a = 0; a < lattice::packed; ++a)
                of[where.element(lattice::packed, site, a)] = complex<Real>(own[a]);
            return sums<1>{{log_determinant}};
        },
        stream);
}

template <class Real>
void sum_links(geometry where, unsigned elements, const complex<Real>* links, double* totals,
               stream_t stream) {
    const stored_links<Real> from{where, elements, links};
    sum_sites<3>(
        where, totals,
        [=] WATARI_KERNEL(unsigned parity, unsigned site) {
            const point p = whole_point(where, parity, site);
            sums<3> all{};
            for (unsigned a = 0; a < 4; ++a) {
                const matrix u = from.at(a, p);
                for (int i = 0; i < 9; ++i) {
                    all.value[1] += u.e[i / 3][i % 3].re;
                    all.value[2] += u.e[i / 3][i % 3].im;
                }
                for (unsigned b = a + 1; b < 4; ++b) {
                    const matrix square = from.leaf(p, a, true, b, true);
                    for (int i = 0; i < 3; ++i) all.value[0] += square.e[i][i].re;
                }
            }
            return all;
        },
        stream);
}

template <class Real>
void narrow(std::size_t count, const complex<double>* from, complex<Real>* to, stream_t stream) {
    for_each(
        count, [=] WATARI_KERNEL(std::size_t i) { to[i] = complex<Real>(from[i]); }, stream);
}

template <class Real>
void norm(std::size_t length, const complex<Real>* v, double* totals, stream_t stream) {
    const pieces range{.length = length, .piece = lattice::piece};
    double* const partials = totals + 1;
    for_each_piece(
        range,
        [=] WATARI_KERNEL(const piece& own) {
            own.sum<1>(partials,
                       [=](std::size_t i) { return sums<1>{{squared_size(widen(v[i]))}}; });
        },
        stream);
    add_partials(totals, partials, range.each(), 1, 1, stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::lattice {

template <class Real>
const kernels<Real> kernels<Real>::WATARI_BACKEND{.hop = WATARI_BACKEND::shared_hop<Real>,
                                                  .tuned_hop = WATARI_BACKEND::tuned_hop<Real>,
                                                  .draw_links = WATARI_BACKEND::draw_links<Real>,
                                                  .draw_source = WATARI_BACKEND::draw_source<Real>,
                                                  .make_clover = WATARI_BACKEND::make_clover<Real>,
                                                  .sum_links = WATARI_BACKEND::sum_links<Real>,
                                                  .narrow = WATARI_BACKEND::narrow<Real>,
                                                  .pack_face = WATARI_BACKEND::pack_face<Real>,
                                                  .hop_edges = WATARI_BACKEND::hop_edges<Real>,
                                                  .sum_edges = WATARI_BACKEND::sum_edges<Real>,
                                                  .norm = WATARI_BACKEND::norm<Real>};

template const kernels<float> kernels<float>::WATARI_BACKEND;
template const kernels<double> kernels<double>::WATARI_BACKEND;

}  // namespace watari::lattice
