// Kernels for both backends; see core/backend.hpp.
#include "watari/hmatrix/product/kernels.hpp"

#include "watari/core/loops.hpp"
#include "watari/core/warp.hpp"

namespace watari::WATARI_BACKEND {

namespace hmatrix_parts {

using hmatrix::group_view;
using hmatrix::leaf_view;

constexpr bool on_cpu = executes == processor::type::cpu;
constexpr unsigned row_sum = 8, projection_sum = 16;  ///< lanes of a sum

/// Sums that a warp takes at once; a thread of a CPU takes one after the other.
template <unsigned Lanes>
constexpr unsigned at_once = row_lanes / Lanes;

/// sum[s] = a . x_s over `count` elements, by Lanes lanes. All threads of a warp call it, with
/// count 0 where there is nothing to sum; each has the result.
template <unsigned Lanes, unsigned Systems, class Element>
WATARI_KERNEL inline __attribute__((always_inline)) void lane_dots(
    const group& threads, const Element* a, const double* x, std::size_t stride, std::size_t count,
    double (&sum)[Systems]) {
    constexpr unsigned own = on_cpu ? Lanes : 1;
    double lane[Systems][own]{};
    const std::size_t rank = threads.rank() % Lanes;
    std::size_t j = rank;
    for (; j + Lanes <= count + rank; j += Lanes)
        for (unsigned s = 0; s < Systems; ++s)
            for (unsigned l = 0; l < own; ++l)
                lane[s][l] += static_cast<double>(a[j + l]) * x[s * stride + j + l];
    for (unsigned l = 0; l < own; ++l)
        if (j + l < count)
            for (unsigned s = 0; s < Systems; ++s)
                lane[s][l] += static_cast<double>(a[j + l]) * x[s * stride + j + l];
    for (unsigned s = 0; s < Systems; ++s) {
        for (unsigned half = Lanes / 2; half > 0; half /= 2) {
            if constexpr (on_cpu)
                for (unsigned l = 0; l < half; ++l) lane[s][l] += lane[s][l + half];
            else
                lane[s][0] += threads.broadcast(lane[s][0], threads.rank() ^ half);
        }
        sum[s] = lane[s][0];
    }
}

/// The elements of t that warp w has.
template <class Element, unsigned Systems>
WATARI_CLONES WATARI_KERNEL void project_some(const group_view& g, const std::byte* data,
                                              const double* x, double* t, std::size_t w) {
    const group threads = group::active();
    const unsigned own = on_cpu ? at_once<projection_sum> : 1;
    for (unsigned k = 0; k < own; ++k) {
        const std::size_t i =
            w * at_once<projection_sum> + (on_cpu ? k : threads.rank() / projection_sum);
        const bool is_one = i < g.projection_count;
        const leaf_view& leaf = g.leaves[g.projections[is_one ? i : 0]];
        const auto* const v = reinterpret_cast<const Element*>(data + leaf.offset) +
                              (is_one ? i - leaf.projected : 0) * leaf.columns;
        double sum[Systems];
        lane_dots<projection_sum>(threads, v, x + leaf.column, g.length, is_one ? leaf.columns : 0,
                                  sum);
        if (is_one && threads.rank() % projection_sum == 0)
            for (unsigned s = 0; s < Systems; ++s) t[s * g.projection_count + i] = sum[s];
    }
}

/// Row i of a leaf times x or t, added to `sum`; nothing where the leaf does not have it.
template <class Element, unsigned Systems>
WATARI_KERNEL inline __attribute__((always_inline)) void add_row(
    const group& threads, const group_view& g, const leaf_view& leaf, const std::byte* data,
    const double* x, const double* t, std::size_t i, double (&sum)[Systems]) {
    const bool has = i - leaf.row < leaf.rows;  // unsigned: also where i is before it
    const std::size_t row = has ? i - leaf.row : 0;
    const auto* const elements = reinterpret_cast<const Element*>(data + leaf.offset);
    const bool whole = leaf.rank == hmatrix::dense;
    const std::size_t width = whole ? leaf.columns : leaf.rank;
    const std::size_t before = whole ? 0 : std::size_t{leaf.rank} * leaf.columns;
    const double* const from = whole ? x + leaf.column : t + leaf.projected;
    double one[Systems];
    lane_dots<row_sum>(threads, elements + before + row * width, from,
                       whole ? g.length : g.projection_count, has ? width : 0, one);
    if (has)
        for (unsigned s = 0; s < Systems; ++s) sum[s] += one[s];
}

/// Warps of a GPU that share a tile.
constexpr unsigned warps_of_tile = on_cpu ? 1 : hmatrix::tile_rows_gpu / at_once<row_sum>;

/// Leaf after leaf; in each, the rows of the tile that it has.
template <class Element, unsigned Systems>
WATARI_CLONES WATARI_KERNEL void accumulate_some(const group_view& g, const std::byte* data,
                                                 const double* x, const double* t, double* y,
                                                 std::size_t w) {
    const group threads = group::active();
    const hmatrix::tile own = g.tiles[w / warps_of_tile];
    double sum[Systems]{};
    if constexpr (on_cpu) {
        for (std::uint32_t e = own.first; e < own.last; ++e) {
            const leaf_view& leaf = g.leaves[g.entries[e]];
            const std::uint32_t begin = leaf.row > own.row ? leaf.row : own.row;
            const std::uint32_t leaf_end = leaf.row + leaf.rows, tile_end = own.row + own.rows;
            const std::uint32_t end = leaf_end < tile_end ? leaf_end : tile_end;
            for (std::size_t i = begin; i < end; ++i) {
                for (unsigned s = 0; s < Systems; ++s) sum[s] = y[s * g.length + i];
                add_row<Element>(threads, g, leaf, data, x, t, i, sum);
                for (unsigned s = 0; s < Systems; ++s) y[s * g.length + i] = sum[s];
            }
        }
    } else {
        const std::size_t in_tile = w % warps_of_tile * at_once<row_sum> + threads.rank() / row_sum;
        const bool is_row = in_tile < own.rows;
        // a number that no leaf has, where the tile has fewer rows
        const std::size_t i = is_row ? own.row + in_tile : ~std::size_t{0} >> 1;
        if (is_row)
            for (unsigned s = 0; s < Systems; ++s) sum[s] = y[s * g.length + i];
        for (std::uint32_t e = own.first; e < own.last; ++e)
            add_row<Element>(threads, g, g.leaves[g.entries[e]], data, x, t, i, sum);
        if (is_row && threads.rank() % row_sum == 0)
            for (unsigned s = 0; s < Systems; ++s) y[s * g.length + i] = sum[s];
    }
}

/// use.template operator()<S>(first) for runs of 8, 4, 2 or 1 systems.
template <class Use>
void for_each_run(std::size_t systems, const Use& use) {
    std::size_t first = 0;
    for (; systems - first >= 8; first += 8) use.template operator()<8>(first);
    if ((systems - first) & 4) use.template operator()<4>(first), first += 4;
    if ((systems - first) & 2) use.template operator()<2>(first), first += 2;
    if ((systems - first) & 1) use.template operator()<1>(first);
}

/// Below this a group is done sooner by one thread than a team begins and ends.
constexpr std::uint64_t serial_bytes = std::uint64_t{1} << 18;

/// body(w) for 0 <= w < count, a warp or a thread each.
template <class Body>
void for_each_part_of(const group_view& g, std::size_t count, Body body, stream_t stream) {
    if constexpr (on_cpu)
        if (g.bytes < serial_bytes) {
            for (std::size_t w = 0; w < count; ++w) body(w);
            return;
        }
    for_each_warp(count, body, stream);
}

template <class Element, unsigned Systems>
void project_run(const group_view& g, const std::byte* data, const double* x, double* t,
                 stream_t stream) {
    constexpr std::size_t together = at_once<projection_sum>;
    for_each_part_of(
        g, (g.projection_count + together - 1) / together,
        [=] WATARI_KERNEL(std::size_t w) { project_some<Element, Systems>(g, data, x, t, w); },
        stream);
}

template <class Element, unsigned Systems>
void accumulate_run(const group_view& g, const std::byte* data, const double* x, const double* t,
                    double* y, stream_t stream) {
    for_each_part_of(
        g, std::size_t{g.tile_count} * warps_of_tile,
        [=] WATARI_KERNEL(std::size_t w) {
            accumulate_some<Element, Systems>(g, data, x, t, y, w);
        },
        stream);
}

template <class Element>
void project(const group_view& g, const std::byte* data, const double* x, double* t,
             std::size_t systems, stream_t stream) {
    for_each_run(systems, [&]<unsigned Systems>(std::size_t first) {
        project_run<Element, Systems>(g, data, x + first * g.length, t + first * g.projection_count,
                                      stream);
    });
}

template <class Element>
void accumulate(const group_view& g, const std::byte* data, const double* x, const double* t,
                double* y, std::size_t systems, stream_t stream) {
    for_each_run(systems, [&]<unsigned Systems>(std::size_t first) {
        accumulate_run<Element, Systems>(g, data, x + first * g.length,
                                         t + first * g.projection_count, y + first * g.length,
                                         stream);
    });
}

inline void clear(double* y, std::size_t count, stream_t stream) {
    for_each(
        count, [=] WATARI_KERNEL(std::size_t i) { y[i] = 0; }, stream);
}

inline void jacobi(const hmatrix::jacobi_view& m, const double* r, double* z, std::size_t systems,
                   stream_t stream) {
    constexpr std::size_t together = at_once<row_sum>;
    const std::size_t count = m.length * systems;
    for_each_warp((count + together - 1) / together,
                  [=] WATARI_KERNEL(std::size_t w) {
                      const group threads = group::active();
                      const unsigned own = on_cpu ? together : 1;
                      for (unsigned k = 0; k < own; ++k) {
                          const std::size_t i =
                              w * together + (on_cpu ? k : threads.rank() / row_sum);
                          const bool is_one = i < count;
                          const std::size_t row = is_one ? i % m.length : 0, system = i / m.length;
                          double sum[1];
                          lane_dots<row_sum>(threads, m.data + m.offsets[row],
                                             r + (is_one ? system * m.length + m.first[row] : 0), 0,
                                             is_one ? m.count[row] : 0, sum);
                          if (is_one && threads.rank() % row_sum == 0) z[i] = sum[0];
                      }
                  },
                  stream);
}

}  // namespace hmatrix_parts

template <class Element>
const hmatrix::product_kernels<Element> hmatrix_product<Element>::table{
    .project = hmatrix_parts::project<Element>, .accumulate = hmatrix_parts::accumulate<Element>};
template struct hmatrix_product<float>;
template struct hmatrix_product<double>;

extern const hmatrix::vector_kernels hmatrix_vectors{.clear = hmatrix_parts::clear,
                                                     .jacobi = hmatrix_parts::jacobi};

}  // namespace watari::WATARI_BACKEND
