// The kernels of a CPU: t of the group's low-rank leaves, then y tile by tile. A thread has a tile,
// so that a batch is read once, and x, t and y of it are in the cache.
#include "watari/hmatrix/product/kernels.hpp"

#include "watari/core/loops.hpp"
#include "watari/hmatrix/product/row_dots.hpp"

namespace watari::cpu {

namespace hmatrix_parts {

using hmatrix::group_view;
using hmatrix::leaf_view;

/// sums[k] = row k of `a` times x, for four rows: the bits of lane_dots.
template <class Element>
inline __attribute__((always_inline)) void four_dots(const Element* a, std::size_t count,
                                                     const double* x, double* sums) {
    double main[4][row_sum]{};  // whose indices the compiler knows: registers
    std::size_t j = 0;
    for (; j + row_sum <= count; j += row_sum)
        for (unsigned k = 0; k < 4; ++k)
            for (unsigned l = 0; l < row_sum; ++l)
                main[k][l] += static_cast<double>(a[k * count + j + l]) * x[j + l];
    double lane[4][row_sum];
    for (unsigned k = 0; k < 4; ++k)
        for (unsigned l = 0; l < row_sum; ++l) lane[k][l] = main[k][l];
    for (; j < count; ++j)
        for (unsigned k = 0; k < 4; ++k)
            lane[k][j % row_sum] += static_cast<double>(a[k * count + j]) * x[j];
    for (unsigned k = 0; k < 4; ++k) {
        for (unsigned half = row_sum / 2; half > 0; half /= 2)
            for (unsigned l = 0; l < half; ++l) lane[k][l] += lane[k][l + half];
        sums[k] = lane[k][0];
    }
}

/// The elements of t that a thread takes together: those of one leaf share what they load of x.
constexpr unsigned projected_at_once = 4;

/// Elements [4 w, 4 w + 4) of t.
template <class Element, unsigned Systems>
WATARI_CLONES void project_some(const group_view& g, const std::byte* data, const double* x,
                                double* t, std::size_t w) {
    const std::size_t first = w * projected_at_once, last = first + projected_at_once - 1;
    if constexpr (Systems == 1) {
        if (last < g.projection_count && g.projections[first] == g.projections[last]) {
            const leaf_view& leaf = g.leaves[g.projections[first]];
            const auto* const v = reinterpret_cast<const Element*>(data + leaf.offset) +
                                  (first - leaf.projected) * leaf.columns;
            four_dots(v, leaf.columns, x + leaf.column, t + first);
            return;
        }
    }
    for (std::size_t i = first; i <= last && i < g.projection_count; ++i) {
        const leaf_view& leaf = g.leaves[g.projections[i]];
        const auto* const v = reinterpret_cast<const Element*>(data + leaf.offset) +
                              (i - leaf.projected) * leaf.columns;
        double sum[Systems];
        lane_dots<Systems>(group::active(), v, x + leaf.column, g.length, leaf.columns, sum);
        for (unsigned s = 0; s < Systems; ++s) t[s * g.projection_count + i] = sum[s];
    }
}

/// What a row of a leaf is multiplied with: x or t.
struct factors {
    std::size_t before, width, stride;  ///< elements; of one system to the next
    const double* from;
};
inline __attribute__((always_inline)) factors factors_of(const group_view& g, const leaf_view& leaf,
                                                         const double* x, const double* t) {
    if (leaf.rank == hmatrix::dense) return {0, leaf.columns, g.length, x + leaf.column};
    return {std::size_t{leaf.rank} * leaf.columns, leaf.rank, g.projection_count,
            t + leaf.projected};
}

/// Rows that the CPU sums side by side, their lanes in its first cache.
constexpr unsigned rows_at_once = 64;

/// y_k += sum over r of a[r * stride + k] from_r, for `rows` rows at once, by the CPU.
template <class Element>
inline __attribute__((always_inline)) void add_rows(const Element* a, std::size_t stride,
                                                    std::size_t width, const double* from,
                                                    double* y, std::size_t rows) {
    double lane[column_sum][rows_at_once];
    for (unsigned l = 0; l < column_sum; ++l) {
        const Element* const own = a + (l < width ? l * stride : 0);
        const double by = l < width ? from[l] : 0;
#pragma GCC ivdep
        for (std::size_t k = 0; k < rows; ++k) lane[l][k] = static_cast<double>(own[k]) * by;
    }
    std::size_t r = column_sum;
    for (; r + column_sum <= width; r += column_sum) {
        const Element* const own = a + r * stride;
        const double b0 = from[r], b1 = from[r + 1], b2 = from[r + 2], b3 = from[r + 3];
#pragma GCC ivdep
        for (std::size_t k = 0; k < rows; ++k) {
            lane[0][k] += static_cast<double>(own[k]) * b0;
            lane[1][k] += static_cast<double>(own[stride + k]) * b1;
            lane[2][k] += static_cast<double>(own[2 * stride + k]) * b2;
            lane[3][k] += static_cast<double>(own[3 * stride + k]) * b3;
        }
    }
    for (unsigned l = 0; r + l < width; ++l) {
        const Element* const own = a + (r + l) * stride;
        const double by = from[r + l];
#pragma GCC ivdep
        for (std::size_t k = 0; k < rows; ++k) lane[l][k] += static_cast<double>(own[k]) * by;
    }
#pragma GCC ivdep
    for (std::size_t k = 0; k < rows; ++k)
        y[k] += (lane[0][k] + lane[2][k]) + (lane[1][k] + lane[3][k]);
}

/// The tile w: leaf after leaf, in each the rows of the tile that it has.
template <class Element, unsigned Systems>
WATARI_CLONES void accumulate_some(const group_view& g, const std::byte* data, const double* x,
                                   const double* t, double* y, std::size_t w) {
    const hmatrix::tile own = g.tiles[w];
    for (std::uint32_t e = own.first; e < own.last; ++e) {
        const leaf_view& leaf = g.leaves[g.entries[e]];
        const factors by = factors_of(g, leaf, x, t);
        const std::uint32_t begin = leaf.row > own.row ? leaf.row : own.row;
        const std::uint32_t leaf_end = leaf.row + leaf.rows, tile_end = own.row + own.rows;
        const std::uint32_t end = leaf_end < tile_end ? leaf_end : tile_end;
        for (std::size_t i = begin; i < end; i += rows_at_once) {
            const auto* const a =
                reinterpret_cast<const Element*>(data + leaf.offset) + by.before + (i - leaf.row);
            const std::size_t rows = end - i < rows_at_once ? end - i : rows_at_once;
            for (unsigned s = 0; s < Systems; ++s)
                add_rows(a, leaf.rows, by.width, by.from + s * by.stride, y + s * g.length + i,
                         rows);
        }
    }
}

/// Below this a group is done sooner by one thread than a team begins and ends.
constexpr std::uint64_t serial_bytes = std::uint64_t{1} << 18;

/// body(w) for 0 <= w < count, by the team where that pays.
template <class Body>
void for_each_part_of(const group_view& g, std::size_t count, Body body) {
    if (g.bytes >= serial_bytes) return for_each(count, body, nullptr);
    for (std::size_t w = 0; w < count; ++w) body(w);
}

template <class Element, unsigned Systems>
void multiply_run(const group_view& g, const std::byte* data, const double* x, double* t,
                  double* y) {
    for_each_part_of(g, (g.projection_count + projected_at_once - 1) / projected_at_once,
                     [=](std::size_t w) { project_some<Element, Systems>(g, data, x, t, w); });
    for_each_part_of(g, g.tile_count, [=](std::size_t w) {
        accumulate_some<Element, Systems>(g, data, x, t, y, w);
    });
}

template <class Element>
void multiply(const group_view& g, const std::byte* data, const double* x, double* scratch,
              double* y, std::size_t systems, stream_t) {
    hmatrix::for_each_run(systems, [&]<unsigned Systems>(std::size_t first) {
        multiply_run<Element, Systems>(g, data, x + first * g.length, scratch,
                                       y + first * g.length);
    });
}

}  // namespace hmatrix_parts

}  // namespace watari::cpu

namespace watari::hmatrix {

template <class Element>
const product_kernels<Element> product_kernels<Element>::cpu{
    .multiply = cpu::hmatrix_parts::multiply<Element>};
template const product_kernels<float> product_kernels<float>::cpu;
template const product_kernels<double> product_kernels<double>::cpu;

}  // namespace watari::hmatrix
