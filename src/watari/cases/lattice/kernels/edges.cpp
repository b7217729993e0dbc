// What a hop needs on several ranks, for both backends: half spinors for the neighbours, and the
// sites at the ends of a part.
//
// Bytes of a face's site, in double: packed 192 read (288 with the link that the upper neighbour's
// share is multiplied by), 96 written and sent. A site at an edge is computed twice: with the
// others, where the part is its own neighbour, and here.
#include "watari/cases/lattice/hop.hpp"

#include "watari/cases/lattice/site.hpp"
#include "watari/core/loops.hpp"

namespace watari::WATARI_BACKEND {

namespace {

using lattice::half_spinor;

/// The spinor of a site of `in`, as a neighbour's.
template <unsigned LinkElements, class Real>
WATARI_KERNEL neighbour_site<plain, complex<Real>> own_site(const lattice::hop_arguments<Real>& a,
                                                            unsigned direction, unsigned number,
                                                            std::size_t system) {
    const std::size_t half = a.where.size.half();
    return {a.where.lanes(),
            a.in + system * half * lattice::spinor + a.where.first(lattice::spinor, number),
            a.links + ((1 - a.parity) * 4 + direction) * half * LinkElements +
                a.where.first(LinkElements, number)};
}

template <unsigned Direction, bool Above, unsigned LinkElements, class Real>
void pack(const lattice::hop_arguments<Real>& given, complex<Real>* to, stream_t stream) {
    const lattice::hop_arguments<Real> a = given;
    const std::size_t face = lattice::face_sites(a.where.size, Direction);
    const unsigned at = Above ? lattice::extent(a.where.size, Direction) - 1 : 0;
    for_each(
        face * a.systems,
        [=] WATARI_KERNEL(std::size_t n) {
            const std::size_t system = n / face, k = n % face;
            const lattice::point p = lattice::face_point(a.where.size, Direction, at, 1 - a.parity,
                                                         static_cast<unsigned>(k));
            const auto own =
                own_site<LinkElements>(a, Direction, lattice::number_of(a.where.size, p), system);
            complex<Real> v[2][3], g[2][3]{};
            project<Direction, !Above>(own, v);
            if constexpr (Above) transport<false, LinkElements>(own, v, g);
            for (unsigned c = 0; c < half_spinor; ++c)
                to[(system * half_spinor + c) * face + k] =
                    Above ? g[c / 3][c % 3] : v[c / 3][c % 3];
        },
        stream);
}

/// A site at an edge.
template <unsigned LinkElements, class Real>
struct edge_site : one_site<LinkElements, plain, Real> {
    using inner = one_site<LinkElements, plain, Real>;
    const lattice::edge_arguments<Real>* edges;

    WATARI_INLINE edge_site(const lattice::edge_arguments<Real>& given, unsigned number,
                            std::size_t which)
        : inner(given.hop, number, which), edges(&given) {}

    /// Whether a neighbour is another rank's.
    template <unsigned Direction, bool Forward>
    WATARI_INLINE bool beyond() const {
        const unsigned last = lattice::extent(this->where.size, Direction) - 1;
        return edges->halo[Direction][Forward] != nullptr &&
               this->at.at[Direction] == (Forward ? last : 0);
    }
    /// What that rank has sent.
    template <unsigned Direction, bool Forward>
    WATARI_INLINE bool arrived(complex<Real> (&v)[2][3]) const {
        if (!beyond<Direction, Forward>()) return false;
        const lattice::extents& size = this->where.size;
        const std::size_t face = lattice::face_sites(size, Direction);
        const complex<Real>* const from = edges->halo[Direction][Forward] +
                                          this->system * half_spinor * face +
                                          lattice::face_number(size, Direction, this->at);
        for (unsigned c = 0; c < half_spinor; ++c) v[c / 3][c % 3] = from[c * face];
        return true;
    }
};

/// Whether the site is at an end of an earlier direction too.
template <class Real>
WATARI_KERNEL bool is_done(const lattice::edge_arguments<Real>& a, const lattice::point& p,
                           unsigned direction) {
    for (unsigned d = 0; d < direction; ++d)
        if (a.halo[d][0] != nullptr &&
            (p.at[d] == 0 || p.at[d] + 1 == lattice::extent(a.hop.where.size, d)))
            return true;
    return false;
}

template <unsigned LinkElements, class Real>
void run_face(const lattice::edge_arguments<Real>& given, unsigned direction, bool above,
              stream_t stream) {
    const lattice::edge_arguments<Real> a = given;
    const lattice::extents size = a.hop.where.size;
    const std::size_t face = lattice::face_sites(size, direction);
    const unsigned at = above ? lattice::extent(size, direction) - 1 : 0;
    for_each(
        face * a.hop.systems,
        [=] WATARI_KERNEL(std::size_t n) {
            const lattice::point p = lattice::face_point(size, direction, at, a.hop.parity,
                                                         static_cast<unsigned>(n % face));
            if (is_done(a, p, direction)) return;
            const edge_site<LinkElements, Real> site(a, lattice::number_of(size, p), n / face);
            hop_of<LinkElements, plain>(
                a.hop, site,
                [&](std::size_t e, const complex<Real>& value) { a.hop.out[e] = value; });
        },
        stream);
}

template <unsigned Direction, bool Above, class Real>
void pack_links(const lattice::hop_arguments<Real>& a, complex<Real>* to, stream_t stream) {
    a.link_elements == 6 ? pack<Direction, Above, 6>(a, to, stream)
                         : pack<Direction, Above, 9>(a, to, stream);
}

}  // namespace

template <class Real>
void pack_face(const lattice::hop_arguments<Real>& a, unsigned direction, bool above,
               complex<Real>* to, stream_t stream) {
    using packs = void (*)(const lattice::hop_arguments<Real>&, complex<Real>*, stream_t);
    static constexpr packs table[4][2] = {{pack_links<0, false, Real>, pack_links<0, true, Real>},
                                          {pack_links<1, false, Real>, pack_links<1, true, Real>},
                                          {pack_links<2, false, Real>, pack_links<2, true, Real>},
                                          {pack_links<3, false, Real>, pack_links<3, true, Real>}};
    table[direction][above](a, to, stream);
}

template <class Real>
void hop_edges(const lattice::edge_arguments<Real>& a, stream_t stream) {
    for (unsigned direction = 0; direction < 4; ++direction) {
        if (a.halo[direction][0] == nullptr) continue;
        for (const bool above : {false, true})
            a.hop.link_elements == 6 ? run_face<6>(a, direction, above, stream)
                                     : run_face<9>(a, direction, above, stream);
    }
}

#define WATARI_INSTANTIATE(Real)                                                                 \
    template void pack_face(const lattice::hop_arguments<Real>&, unsigned, bool, complex<Real>*, \
                            stream_t);                                                           \
    template void hop_edges(const lattice::edge_arguments<Real>&, stream_t);
WATARI_INSTANTIATE(float)
WATARI_INSTANTIATE(double)

}  // namespace watari::WATARI_BACKEND
