/// The arrays of a simulation, which a style allocates.
///
/// Bytes per cell in fp32: 19 floats, a flag, and 4 bytes for the coarser levels: 81. With mist
/// four floats and a flag more: 98.
#pragma once

#include "../flow/flow.hpp"
#include "../les.hpp"
#include "../pressure/level.hpp"
#include "watari/core/dispatch.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace watari::les {

/// The CPU writes the first seven arrays before the first step, the processor writes the others.
/// The array `facets` has the nozzles of mist behind its facets, and the leaves of trees behind
/// these.
struct fields {
    std::byte *flags{}, *length2{}, *facets{}, *flow[4]{};  ///< flow: u v w theta
    std::byte *next[4]{}, *q[4]{}, *nu{}, *p{}, *r{}, *e{}, *d{}, *scratch{};
    std::byte* far{};                     ///< flags, if parameters::reads_far
    std::byte *wet[2]{}, *wet_next[2]{};  ///< q - q0 and l, if there is mist
    std::byte *coarse{}, *sums{};
};
inline constexpr std::size_t input_count = 7;

/// An array, and its bytes.
using array = std::pair<std::byte**, std::size_t>;

/// Returns all arrays, first the inputs that the CPU writes.
std::vector<array> arrays(fields& f, const parameters& p);
inline std::span<const array> inputs(const std::vector<array>& all) {
    return std::span(all).first(input_count);
}

template <class Real>
Real* numbers(std::byte* data) {
    return reinterpret_cast<Real*>(data);
}

/// The grids of multigrid, the finest first. An axis is halved if its count is even and above 2 and
/// its spacing is below 1.9 times the smallest spacing of such axes. With several ranks, each rank
/// has its part of a level of more than 4096 cells (2^19 on GPUs), and the whole of a smaller
/// level.
struct level_shape {
    les::grid grid;
    extents whole;
    bool halved[3]{};
};
std::vector<level_shape> level_shapes(const parameters& p);

/// Returns the levels with their arrays.
template <class Real>
std::vector<level<Real>> levels_of(const fields& f, const parameters& p);

/// Returns the arguments of the flow's kernels.
template <class Real>
flow_arguments<Real> flow_of(const fields& f, const parameters& p);

/// Doubles of `sums`: the iteration's numbers, then partial sums, two sets of columns and the
/// tree's scratch.
struct sums_layout {
    std::size_t partials, columns, scratch, all;
};
sums_layout sums_of(const parameters& p);

}  // namespace watari::les
