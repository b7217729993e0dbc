// Kernels of a hop on several ranks, for both backends: half spinors for the neighbours, and the
// sites at the ends of a part.
//
// Bytes per site of a face along x, y or z, in double: 192 read, 96 written and sent. Packing for
// the neighbour above also reads a link: 336 (288 with links of 12). A site at an edge is computed
// twice: by the hop of all sites, in which the part is its own neighbour, and here.
#include "hop.hpp"

#include "edge_site.hpp"
#include "watari/core/loops.hpp"

namespace watari::WATARI_BACKEND {

namespace {

using lattice::half_spinor;

template <unsigned Direction, bool Above, unsigned LinkElements, class Real>
void pack(const lattice::hop_arguments<Real>& given, complex<Real>* to, stream_t stream) {
    const lattice::hop_arguments<Real> a = given;
    const std::size_t face = lattice::face_sites(a.where.size, Direction);
    for_each(
        face * a.systems,
        [=] WATARI_KERNEL(std::size_t n) {
            pack_at<Direction, Above, LinkElements>(a, n / face, static_cast<unsigned>(n % face),
                                                    to + n / face * half_spinor * face);
        },
        stream);
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
            if (lattice::is_at_edge(a, p, direction)) return;  // done before
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
#undef WATARI_INSTANTIATE

}  // namespace watari::WATARI_BACKEND
