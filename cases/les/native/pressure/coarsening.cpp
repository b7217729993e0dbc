// Kernels for both backends; see core/backend.hpp.
#include "coarsening.hpp"

#include "operator.hpp"
#include "vectors.hpp"

namespace watari::WATARI_BACKEND {

namespace {

using les::level;

template <class Operator, class Real>
struct coarse_faces {
    Operator a;
    les::grid fine, coarse;
    unsigned halved[3];
    Real* face[3];
    const std::uint8_t* flags = nullptr;
    std::size_t offset[2];

    template <bool>
    WATARI_INLINE void operator()(const cell& c) const {
        const std::size_t to = coarse.at(c.k, c.j + offset[0], c.i + offset[1]);
        for (unsigned axis = 0; axis < 3; ++axis) {
            unsigned count[3] = {1 + halved[0], 1 + halved[1], 1 + halved[2]};
            count[axis] = 1;  // only the children at the low face
            Real sum = 0;
            for (unsigned z = 0; z < count[2]; ++z)
                for (unsigned y = 0; y < count[1]; ++y)
                    for (unsigned x = 0; x < count[0]; ++x)
                        sum += a.low_face(fine.at((c.k << halved[2]) + z, (c.j << halved[1]) + y,
                                                  (c.i << halved[0]) + x),
                                          axis);
            const Real mean = sum / Real(count[0] * count[1] * count[2]);
            face[axis][to] = halved[axis] ? Real(0.25) * mean : mean;
        }
    }
};

template <class Real>
void coarsen(const level<Real>& l, const level<Real>& coarse, stream_t stream) {
    const auto& h = coarse.halved;
    const own_cells own(l, coarse);
    const auto& to = coarse.face;
    with_operator(l, [&]<class Operator>(const Operator& a) {
        for_each_cell(own.cells,
                      coarse_faces<Operator, Real>{a,
                                                   l.grid,
                                                   coarse.grid,
                                                   {h[0], h[1], h[2]},
                                                   {to[0], to[1], to[2]},
                                                   nullptr,
                                                   {own.y, own.x}},
                      written<Real>{{to[0], to[1], to[2]}, 3}, stream);
    });
}

template <class Real>
struct inverse_of {
    const Real* face[3];
    std::size_t stride[3];
    Real* to;
    const std::uint8_t* flags = nullptr;

    template <bool>
    WATARI_INLINE void operator()(const cell& c) const {
        Real sum = 0;
        for (unsigned a = 0; a < 3; ++a) sum += face[a][c.at] + face[a][c.at + stride[a]];
        to[c.at] = sum > 0 ? Real(1) / sum : Real(0);
    }
};

/// Writes the code of a coarse cell: the number of open fine faces in each face (open_faces).
template <class Real>
struct open_of {
    counted_operator<Real> a;
    const Real* face[3];
    std::size_t stride[3];
    std::uint16_t* to;
    const std::uint8_t* flags = nullptr;

    WATARI_INLINE unsigned count(unsigned axis, Real face) const {
        unsigned n = 0;
        while (n < 4 && a.known(axis, n) != face) ++n;
        return n;
    }
    template <bool>
    WATARI_INLINE void operator()(const cell& c) const {
        unsigned code = 0;
        for (unsigned axis = 0; axis < 3; ++axis) {
            code = code * 5 + count(axis, face[axis][c.at]);
            code = code * 5 + count(axis, face[axis][c.at + stride[axis]]);
        }
        to[c.at] = static_cast<std::uint16_t>(les::open_faces::least + code);
    }
};

template <class Real>
void invert(const level<Real>& l, stream_t stream) {
    if (l.finest()) {
        Real* const table = l.inverse;
        const Real d2[3] = {l.per_d2[0], l.per_d2[1], l.per_d2[2]};
        for_each(
            256,
            [=] WATARI_KERNEL(std::size_t flags) {
                Real sum = 0;
                for (unsigned a = 0; a < 3; ++a)
                    sum += d2[a] * Real((flags & les::flag::low(a) ? 1 : 0) +
                                        (flags & les::flag::high(a) ? 1 : 0));
                table[flags] = sum > 0 ? Real(1) / sum : Real(0);
            },
            stream);
        return;
    }
    for_each_cell(
        l.grid,
        inverse_of<Real>{
            {l.face[0], l.face[1], l.face[2]}, {1, l.grid.row(), l.grid.plane()}, l.inverse},
        only(l.inverse), stream);
    if (executes != processor::type::gpu || l.open == nullptr) return;
    Real* const table = l.by_open;
    const counted_operator<Real> a(l);
    for_each(
        les::open_faces::codes,
        [=] WATARI_KERNEL(std::size_t n) {
            const auto code = static_cast<std::uint16_t>(les::open_faces::least + n);
            Real sum = 0;
            for (unsigned axis = 0; axis < 3; ++axis)
                sum += a.known(axis, a.count(code, 2 * axis)) +
                       a.known(axis, a.count(code, 2 * axis + 1));
            table[n] = sum > 0 ? Real(1) / sum : Real(0);
        },
        stream);
    for_each_cell(l.grid,
                  open_of<Real>{counted_operator<Real>(l),
                                {l.face[0], l.face[1], l.face[2]},
                                {1, l.grid.row(), l.grid.plane()},
                                l.open},
                  only(l.open), stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::les {

template <class Real>
const coarsening_kernels<Real> coarsening_kernels<Real>::WATARI_BACKEND{
    .coarsen = WATARI_BACKEND::coarsen<Real>, .invert = WATARI_BACKEND::invert<Real>};

template const coarsening_kernels<float> coarsening_kernels<float>::WATARI_BACKEND;
template const coarsening_kernels<double> coarsening_kernels<double>::WATARI_BACKEND;

}  // namespace watari::les
