#include "watari/hmatrix/build/leaf.hpp"

#include "watari/core/error.hpp"
#include "watari/core/loops.hpp"
#include "watari/hmatrix/build/cross.hpp"
#include "watari/hmatrix/file/format.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace watari::hmatrix {

namespace {

/// Blocks of at most this many entries are computed whole: ACA would need most of them.
constexpr std::size_t few_entries = 1024;
constexpr std::size_t rows_of_norm = 48;

/// Bytes of a leaf in the file: V as it is, then the rows of `columns` in strips. `columns` is
/// given column by column.
template <class Element>
std::vector<std::byte> converted(const block& of, std::span<const double> v,
                                 std::span<const double> columns) {
    std::vector<std::byte> bytes((v.size() + columns.size()) * sizeof(Element));
    auto* to = reinterpret_cast<Element*>(bytes.data());
    to = std::copy(v.begin(), v.end(), to);
    const std::size_t width = columns.size() / of.rows;
    for (std::uint32_t i = 0; i < of.rows;) {
        const strip own = leaf_rows{of.row, of.rows}.at(i);
        for (std::size_t c = 0; c < width; ++c, to += own.rows)
            std::copy_n(columns.data() + c * of.rows + i, own.rows, to);
        i += own.rows;
    }
    return bytes;
}

std::vector<std::byte> bytes_of(const block& of, std::span<const double> v,
                                std::span<const double> columns, bool single) {
    return single ? converted<float>(of, v, columns) : converted<double>(of, v, columns);
}

made_leaf owning(std::uint32_t rank, std::vector<std::byte> bytes) {
    auto own = std::make_unique<const std::vector<std::byte>>(std::move(bytes));
    return {rank, *own, 0, 0, std::move(own)};
}

double checked_eps(double eps) {
    if (!(eps >= 1e-11 && eps < 1)) throw usage_error("eps is from 1e-11 to below 1");
    return eps;
}

}  // namespace

leaf_maker::leaf_maker(std::span<const panel> panels, const build_options& how)
    : panels_(panels), how_(how), entries_(panels, checked_eps(how.eps) / 10) {}

made_leaf leaf_maker::make_dense(const block& of) const {
    std::vector<double> values(of.entries());
    for (std::size_t j = 0; j < of.columns; ++j) column(of, j, values.data() + j * of.rows);
    made_leaf leaf = owning(dense, bytes_of(of, {}, values, how_.single));
    leaf.entries = values.size();
    return leaf;
}

made_leaf leaf_maker::rows_of(const made_leaf& leaf, const block& from, const block& part) const {
    const std::size_t each = how_.single ? 4 : 8,
                      width = leaf.rank == dense ? from.columns : leaf.rank;
    const std::size_t before = leaf.rank == dense ? 0 : each * leaf.rank * from.columns;  // V
    std::vector<std::byte> some(before + each * width * part.rows);
    std::copy_n(leaf.data.begin(), before, some.begin());
    const leaf_rows all{from.row, from.rows}, kept{part.row, part.rows};
    for (std::uint32_t i = 0; i < part.rows; ++i)
        for (std::size_t j = 0; j < width; ++j)
            std::memcpy(
                some.data() + before + each * kept.place(width, i, j),
                leaf.data.data() + before + each * all.place(width, part.row - from.row + i, j),
                each);
    return owning(leaf.rank, std::move(some));
}

double leaf_maker::norm() const {
    const std::size_t n = panels_.size(), rows = std::min(n, rows_of_norm);
    const block all{0, static_cast<std::uint32_t>(n), 0, static_cast<std::uint32_t>(n), false};
    std::vector<double> squares(rows);
    cpu::for_each(
        rows,
        [&](std::size_t k) {
            std::vector<double> values(n);
            row(all, k * n / rows, values.data());
            for (const double value : values) squares[k] += value * value;
        },
        nullptr);
    const double square = std::accumulate(squares.begin(), squares.end(), 0.0);
    return std::sqrt(square * static_cast<double>(n) / static_cast<double>(rows));
}

made_leaf leaf_maker::make(const block& of, double tolerance) const {
    if (!of.admissible) return make_dense(of);
    std::size_t computed = 0;
    std::vector<double> whole;
    block_entries entries{of.rows, of.columns, {}, {}};
    if (of.entries() <= few_entries) {
        whole.resize(of.entries());
        for (std::size_t j = 0; j < of.columns; ++j) column(of, j, whole.data() + j * of.rows);
        computed = of.entries();
        entries.row = [&](std::size_t i, double* to) {
            for (std::size_t j = 0; j < of.columns; ++j) to[j] = whole[j * of.rows + i];
        };
        entries.column = [&](std::size_t j, double* to) {
            std::copy_n(whole.data() + j * of.rows, of.rows, to);
        };
    } else {
        entries.row = [&](std::size_t i, double* to) { row(of, i, to), computed += of.columns; };
        entries.column = [&](std::size_t j, double* to) { column(of, j, to), computed += of.rows; };
    }
    const rank_limits limits = limits_of(of, how_.recompress);
    const crosses crossed =
        cross_approximation(entries, part_of_crosses(how_.recompress) * tolerance, limits.crosses);
    made_leaf leaf = of_crosses(of, crossed, limits.paying, part_of_all * tolerance);
    if (!leaf.own && !whole.empty()) leaf = owning(dense, bytes_of(of, {}, whole, how_.single));
    if (!leaf.own) leaf = make_dense(of);
    leaf.entries += computed;
    leaf.went_on = crossed.went_on;
    return leaf;
}

made_leaf leaf_maker::of_crosses(const block& of, const crosses& crossed, std::size_t paying,
                                 double tolerance) const {
    if (!crossed.found) return {};
    const factors low = how_.recompress ? recompressed(*crossed.found, tolerance) : *crossed.found;
    if (low.rank > paying) return {};
    return owning(static_cast<std::uint32_t>(low.rank), bytes_of(of, low.v, low.u, how_.single));
}

}  // namespace watari::hmatrix
