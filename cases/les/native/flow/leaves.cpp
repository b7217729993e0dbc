// Kernels for both backends; see core/backend.hpp.
#include "leaves.hpp"

#include "../grid/loops.hpp"
#include "watari/core/parallel/sums.hpp"

#include WATARI_PART(square_root)

namespace watari::WATARI_BACKEND {

namespace {

using les::flow_arguments, les::leaf_arrays, les::stage, les::stage_factors;

/// A face of the list: its axis, its element, and what its leaves do.
template <class Real>
struct leafy_face {
    unsigned axis;
    std::size_t at;
    Real velocity, by_speed;  ///< of the axis; Cd a |u|

    WATARI_INLINE leafy_face(const flow_arguments<Real>& f, const leaf_arrays<Real>& leaves,
                             std::size_t n)
        : axis(n < leaves.faces[0]                     ? 0u
               : n < leaves.faces[0] + leaves.faces[1] ? 1u
                                                       : 2u),
          at(leaves.face[n]) {
        const std::size_t step[3] = {1, f.grid.row(), f.grid.plane()};
        velocity = f.now.velocity[axis][at];
        Real squares = velocity * velocity;
        for (unsigned more = 1; more < 3; ++more) {
            const unsigned other = (axis + more) % 3;
            const Real* const u = f.now.velocity[other] + at;
            const auto left = static_cast<std::ptrdiff_t>(step[axis]),
                       up = static_cast<std::ptrdiff_t>(step[other]);
            const Real mean = Real(0.25) * ((u[0] + u[-left]) + (u[up] + u[up - left]));
            squares += mean * mean;
        }
        by_speed = leaves.drag[n] * square_root(squares);
    }
};

template <class Real>
void slow(const flow_arguments<Real>& f, const leaf_arrays<Real>& leaves, stage which,
          const stage_factors<Real>& by, stream_t stream) {
    for_each(
        leaves.all_faces(),
        [=] WATARI_KERNEL(std::size_t n) {
            const leafy_face<Real> face(f, leaves, n);
            const Real less = by.step * (face.by_speed * face.velocity);
            if (which != stage::last) f.q[face.axis][face.at] -= less;
            Real* const next = f.next.velocity[face.axis];
            const Real slower = next[face.at] - by.b * less;
            next[face.at] = slower;
            next[leaves.copy[n]] = slower;
        },
        stream);
}

template <class Real>
void warm(const flow_arguments<Real>& f, const leaf_arrays<Real>& leaves, stage which,
          const stage_factors<Real>& by, stream_t stream) {
    for_each(
        leaves.cells,
        [=] WATARI_KERNEL(std::size_t n) {
            const std::size_t at = leaves.cell[n];
            const Real more = by.step * leaves.heat[n];
            if (which != stage::last) f.q[3][at] += more;
            f.next.theta[at] += by.b * more;
        },
        stream);
}

template <class Real>
void transpire(const flow_arguments<Real>& f, const leaf_arrays<Real>& leaves, stream_t stream) {
    Real* const q = f.wet_next[0];
    for_each(
        leaves.cells, [=] WATARI_KERNEL(std::size_t n) { q[leaves.cell[n]] += leaves.vapour[n]; },
        stream);
}

/// The sum of a survey over faces.
struct worked {
    les::leaf_work of;

    constexpr worked& operator+=(const worked& other) {
        of.power += other.of.power;
        of.fastest = other.of.fastest > of.fastest ? other.of.fastest : of.fastest;
        return *this;
    }
};

template <class Real>
les::leaf_work look(const flow_arguments<Real>& f, const leaf_arrays<Real>& leaves, double air,
                    stream_t stream) {
    return sum<worked>(
               leaves.all_faces(),
               [=] WATARI_KERNEL(std::size_t n) {
                   const leafy_face<Real> face(f, leaves, n);
                   const double u = face.velocity, by_speed = face.by_speed;
                   return worked{{air * by_speed * (u * u), by_speed}};
               },
               stream)
        .of;
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::les {

template <class Real>
const leaf_kernels<Real> leaf_kernels<Real>::WATARI_BACKEND{
    .slow = WATARI_BACKEND::slow<Real>,
    .warm = WATARI_BACKEND::warm<Real>,
    .transpire = WATARI_BACKEND::transpire<Real>,
    .look = WATARI_BACKEND::look<Real>};

template const leaf_kernels<float> leaf_kernels<float>::WATARI_BACKEND;
template const leaf_kernels<double> leaf_kernels<double>::WATARI_BACKEND;

}  // namespace watari::les
