// Kernels for both backends; see core/backend.hpp.
#include "moisture.hpp"

#include "../../grid/loops.hpp"
#include "carry.hpp"
#include "watari/core/parallel/sums.hpp"

namespace watari::WATARI_BACKEND {

namespace {

template <class Real>
void mark(const flow_arguments<Real>& f, std::uint8_t* far, stream_t stream) {
    const les::grid g = f.grid;
    const std::uint8_t* const flags = f.flags;
    for_each(
        g.size.cells(),
        [=] WATARI_KERNEL(std::size_t n) {
            const std::size_t i = n % g.size.x, row = n / g.size.x;
            const std::size_t at = g.at(row / g.size.y, row % g.size.y, i);
            bool all = flags[at] == les::flag::all;
            for (unsigned a = 0; all && a < 3; ++a)
                for (std::size_t away = 1; away <= les::wide_halo; ++away)
                    all = all && flags[at - away * g.stride(a)] == les::flag::all &&
                          flags[at + away * g.stride(a)] == les::flag::all;
            far[at] = all ? les::flag::inner : std::uint8_t(0);
        },
        stream);
}

template <class Real>
void spray(const flow_arguments<Real>& f, const std::uint32_t* cell, const Real* amount,
           std::size_t count, stream_t stream) {
    Real* const l = f.wet_next[1];
    for_each(
        count, [=] WATARI_KERNEL(std::size_t n) { l[cell[n]] += amount[n]; }, stream);
}

/// Along y second, so that whole rows of the halo follow.
template <class Real>
void go_around(const les::grid& g, Real* array, stream_t stream) {
    constexpr std::size_t wide = les::wide_halo;
    const std::size_t rows = g.below + g.size.y + g.above, planes = g.size.z + 2;
    const std::size_t x = g.size.x, y = g.size.y, row = g.row(), plane = g.plane();
    Real* const first = array + g.at(0, 0, 0) - plane;  // of plane -1
    if (g.around_x)
        for_each(
            planes * rows,
            [=, below = g.below] WATARI_KERNEL(std::size_t n) {
                Real* const own = first + n / rows * plane + n % rows * row - below * row;
                for (std::size_t i = 0; i < wide; ++i) {
                    own[x + i] = own[i];
                    *(own - 1 - i) = own[x - 1 - i];
                }
            },
            stream);
    const std::size_t across = x + 2 * wide;
    if (g.around_y)
        for_each(
            planes * across,
            [=] WATARI_KERNEL(std::size_t n) {
                Real* const own = first + n / across * plane + n % across - wide;
                for (std::size_t j = 0; j < wide; ++j) {
                    own[(y + j) * row] = own[j * row];
                    *(own - (1 + j) * row) = own[(y - 1 - j) * row];
                }
            },
            stream);
}

/// The sum of a survey over cells.
struct seen {
    les::moisture of;

    constexpr seen& operator+=(const seen& other) {
        of.vapour += other.of.vapour;
        of.droplets += other.of.droplets;
        of.least_l = other.of.least_l < of.least_l ? other.of.least_l : of.least_l;
        return *this;
    }
};

template <class Real>
les::moisture look(const flow_arguments<Real>& f, stream_t stream) {
    const les::grid g = f.grid;
    const Real *q = f.wet[0], *l = f.wet[1];
    return sum<seen>(
               g.size.cells(),
               [=] WATARI_KERNEL(std::size_t n) {
                   const std::size_t i = n % g.size.x, row = n / g.size.x;
                   const std::size_t at = g.at(row / g.size.y, row % g.size.y, i);
                   const double droplets = l[at];
                   return seen{{double(q[at]), droplets, droplets}};
               },
               stream)
        .of;
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::les {

template <class Real>
const moisture_kernels<Real> moisture_kernels<Real>::WATARI_BACKEND{
    .mark = WATARI_BACKEND::mark<Real>,
    .carry = WATARI_BACKEND::carry<Real>,
    .carry_and_dry = WATARI_BACKEND::carry_and_dry<Real>,
    .spray = WATARI_BACKEND::spray<Real>,
    .go_around = WATARI_BACKEND::go_around<Real>,
    .look = WATARI_BACKEND::look<Real>};

template const moisture_kernels<float> moisture_kernels<float>::WATARI_BACKEND;
template const moisture_kernels<double> moisture_kernels<double>::WATARI_BACKEND;

}  // namespace watari::les
