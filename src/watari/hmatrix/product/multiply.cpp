// The kernels of a CPU compute t of the batch's low-rank leaves, then y tile by tile. A thread has
// a tile, so that a batch is read once, and its x, t and y are in the cache.
#include "watari/hmatrix/product/kernels.hpp"

#include "watari/core/loops.hpp"
#include "watari/hmatrix/product/row_dots.hpp"

#include <cstring>

namespace watari::cpu {

namespace hmatrix_parts {

using hmatrix::batch_view;
using hmatrix::leaf_view;

/// sums[k] = row k of `a` times x, for four rows, with the bits of lane_dots.
template <class Element>
inline __attribute__((always_inline)) void four_dots(const Element* a, std::size_t count,
                                                     const double* x, double* sums) {
    double main[4][row_sum]{};  // indices are constants: registers
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

/// The elements of t that a thread computes together: those of one leaf share their loads of x.
constexpr unsigned projected_at_once = 4;

/// Computes elements [4 w, 4 w + 4) of t.
template <class Element, unsigned Systems>
WATARI_CLONES void project_some(const batch_view& g, const std::byte* data, const double* x,
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

/// The elements of x or t by which the rows of a leaf are multiplied.
struct factors {
    std::size_t before, width, stride;  ///< elements; stride: between systems
    const double* from;
};
inline __attribute__((always_inline)) factors factors_of(const batch_view& g, const leaf_view& leaf,
                                                         const double* x, const double* t) {
    if (leaf.rank == hmatrix::dense) return {0, leaf.columns, g.length, x + leaf.column};
    return {std::size_t{leaf.rank} * leaf.columns, leaf.rank, g.projection_count,
            t + leaf.projected};
}

using hmatrix::strip_rows;

/// An element, or a sum, of each row of a strip: one, two or four vectors of the processor.
template <class Element>
using beside __attribute__((vector_size(strip_rows * sizeof(Element)))) = Element;

template <class Element>
inline __attribute__((always_inline)) void add_column(beside<double>& sum, const Element* from,
                                                      double by) {
    beside<Element> values;
    std::memcpy(&values, from, sizeof values);
    sum += __builtin_convertvector(values, beside<double>) * by;
}

/// y_k += sum over r of a[r * rows + k] from_r, for the rows of a strip side by side. If a strip
/// has fewer rows than a vector, the vector's other sums are not used. Nothing is read beyond the
/// strip: the last columns are added element by element.
template <class Element>
inline __attribute__((always_inline)) void add_strip(const Element* a, std::uint32_t rows,
                                                     std::size_t width, const double* from,
                                                     double* y) {
    beside<double> lane[column_sum]{};
    const std::size_t beyond = (strip_rows - 1) / rows;  // last columns, whose vectors reach out
    const std::size_t direct = width > beyond ? width - beyond : 0;
    std::size_t r = 0;
    for (; r + column_sum <= direct; r += column_sum)
        for (unsigned l = 0; l < column_sum; ++l)
            add_column(lane[l], a + (r + l) * rows, from[r + l]);
    for (unsigned l = 0; l + 1 < column_sum; ++l)
        if (r + l < direct) add_column(lane[l], a + (r + l) * rows, from[r + l]);
    if (rows == strip_rows) {
        beside<double> sum;
        std::memcpy(&sum, y, sizeof sum);
        sum += (lane[0] + lane[2]) + (lane[1] + lane[3]);
        std::memcpy(y, &sum, sizeof sum);
        return;
    }
    double sum[column_sum][strip_rows];
    std::memcpy(sum, lane, sizeof sum);
    for (r = direct; r < width; ++r)
        for (std::uint32_t k = 0; k < rows; ++k)
            sum[r % column_sum][k] += static_cast<double>(a[r * rows + k]) * from[r];
    for (std::uint32_t k = 0; k < rows; ++k)
        y[k] += (sum[0][k] + sum[2][k]) + (sum[1][k] + sum[3][k]);
}

/// Computes tile w: leaf after leaf, in each leaf its strips in the tile.
template <class Element, unsigned Systems>
WATARI_CLONES void accumulate_some(const batch_view& g, const std::byte* data, const double* x,
                                   const double* t, double* y, std::size_t w) {
    const hmatrix::tile own = g.tiles[w];
    for (std::uint32_t e = own.first; e < own.last; ++e) {
        const leaf_view& leaf = g.leaves[g.entries[e]];
        const factors by = factors_of(g, leaf, x, t);
        const hmatrix::leaf_rows rows{leaf.row, leaf.rows};
        const std::uint32_t begin = leaf.row > own.row ? 0 : own.row - leaf.row;
        const std::uint32_t tile_end = own.row + own.rows - leaf.row;
        const std::uint32_t end = leaf.rows < tile_end ? leaf.rows : tile_end;
        const auto* const a = reinterpret_cast<const Element*>(data + leaf.offset) + by.before;
        for (std::uint32_t i = begin; i < end;) {
            const hmatrix::strip strip = rows.at(i);
            for (unsigned s = 0; s < Systems; ++s) {
                const auto add = [&](std::uint32_t of) __attribute__((always_inline)) {
                    add_strip(a + i * by.width, of, by.width, by.from + s * by.stride,
                              y + s * g.length + leaf.row + i);
                };
                strip.rows == strip_rows ? add(strip_rows) : add(strip.rows);  // a constant
            }
            i += strip.rows;
        }
    }
}

/// Below this size one thread completes a batch before a team would begin and end.
constexpr std::uint64_t serial_bytes = std::uint64_t{1} << 18;

/// Calls body(w) for 0 <= w < count, by the team where that pays.
template <class Body>
void for_each_part_of(const batch_view& g, std::size_t count, Body body) {
    if (g.bytes >= serial_bytes) return for_each(count, body, nullptr);
    for (std::size_t w = 0; w < count; ++w) body(w);
}

template <class Element, unsigned Systems>
void multiply_run(const batch_view& g, const std::byte* data, const double* x, double* t,
                  double* y) {
    for_each_part_of(g, (g.projection_count + projected_at_once - 1) / projected_at_once,
                     [=](std::size_t w) { project_some<Element, Systems>(g, data, x, t, w); });
    for_each_part_of(g, g.tile_count, [=](std::size_t w) {
        accumulate_some<Element, Systems>(g, data, x, t, y, w);
    });
}

template <class Element>
void multiply(const batch_view& g, const std::byte* data, const double* x, double* scratch,
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
