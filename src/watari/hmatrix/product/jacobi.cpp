#include "watari/hmatrix/product/jacobi.hpp"

#include "watari/core/error.hpp"
#include "watari/hmatrix/ranks/row_gather.hpp"

#include <cmath>
#include <cstring>

namespace watari::hmatrix {

namespace {

bool is_diagonal(const leaf_record& leaf) {
    return leaf.row == leaf.column && leaf.rows == leaf.columns && leaf.rank == dense;
}

std::size_t rounded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// Inverts a matrix in place, by Gauss and Jordan with partial pivoting; false: it has no inverse.
bool invert(double* a, std::size_t n) {
    std::vector<std::size_t> swapped(n);
    for (std::size_t c = 0; c < n; ++c) {
        std::size_t pivot = c;
        for (std::size_t i = c; i < n; ++i)
            if (std::abs(a[i * n + c]) > std::abs(a[pivot * n + c])) pivot = i;
        const double value = a[pivot * n + c];
        if (value == 0 || !std::isfinite(value)) return false;
        swapped[c] = pivot;
        for (std::size_t j = 0; j < n; ++j) std::swap(a[c * n + j], a[pivot * n + j]);
        a[c * n + c] = 1;
        for (std::size_t j = 0; j < n; ++j) a[c * n + j] /= value;
        for (std::size_t i = 0; i < n; ++i) {
            if (i == c) continue;
            const double factor = a[i * n + c];
            a[i * n + c] = 0;
            for (std::size_t j = 0; j < n; ++j) a[i * n + j] -= factor * a[c * n + j];
        }
    }
    for (std::size_t c = n; c-- > 0;)
        for (std::size_t i = 0; i < n; ++i) std::swap(a[i * n + c], a[i * n + swapped[c]]);
    return true;
}

struct blocks {
    std::vector<double> data;
    std::vector<row_range> rows;  ///< by row: the columns of its block
};

/// Appends the elements of a square leaf to `to`, row by row, in double.
void read_leaf(const matrix_files& from, const matrix_index& index, const leaf_record& leaf,
               std::vector<double>& to) {
    const bool single = index.type() == precision::single_precision;
    const std::string bytes = leaf_bytes(from, index, leaf);
    for (std::size_t i = 0; i < leaf.elements(); ++i) {
        float narrow;
        double wide;
        const std::uint64_t at = leaf.strips().place(leaf.rows, i / leaf.rows, i % leaf.rows);
        if (single)
            std::memcpy(&narrow, bytes.data() + 4 * at, 4), wide = narrow;
        else
            std::memcpy(&wide, bytes.data() + 8 * at, 8);
        to.push_back(wide);
    }
}

blocks inverses(const matrix_paths& paths, const matrix_index& index) {
    const matrix_files from(paths);
    const std::string& path = paths.first();
    blocks all;
    for (const leaf_record& leaf : index.leaves) {
        if (!is_diagonal(leaf)) continue;
        const std::size_t begin = all.data.size();
        read_leaf(from, index, leaf, all.data);
        if (!invert(all.data.data() + begin, leaf.rows))
            throw file_error(path + ": the diagonal block at row " + std::to_string(leaf.row) +
                             " has no inverse; try without a preconditioner");
        all.rows.insert(all.rows.end(), leaf.rows, {leaf.row, leaf.rows});
    }
    const std::size_t rows = index.head.of.rows;
    if (all.rows.size() != rows)
        throw file_error(path + ": its dense diagonal leaves have " +
                         std::to_string(all.rows.size()) + " rows of " + std::to_string(rows));
    return all;
}

/// By row: the offset of its first element. Leaves, and so their rows, are in the order of the
/// diagonal.
std::vector<std::uint64_t> offsets_of(const blocks& all) {
    std::vector<std::uint64_t> offsets;
    std::uint64_t next = 0;
    for (const row_range& row : all.rows) {
        offsets.push_back(next);
        next += row.count;
    }
    return offsets;
}

}  // namespace

std::size_t block_jacobi::bytes_of(const matrix_index& index, const comm::communicator* ranks) {
    std::uint64_t elements = 0;
    for (const leaf_record& leaf : index.leaves)
        if (is_diagonal(leaf)) elements += leaf.elements();
    if (ranks) elements = ranks->sum(elements);
    const std::size_t n = index.head.of.triangles;
    return rounded(8 * elements) + rounded(8 * n) + 2 * rounded(4 * n) + 256;
}

block_jacobi::block_jacobi(const matrix_paths& paths, const matrix_index& index, processor who,
                           const comm::communicator* ranks)
    : who_(who), memory_(memory::local_kind(who), bytes_of(index, ranks), {.device = who.number}) {
    blocks all = inverses(paths, index);
    if (ranks)
        all = {gathered(*ranks, std::span<const double>(all.data)),
               gathered(*ranks, std::span<const row_range>(all.rows))};
    std::vector<std::uint32_t> first, count;
    for (const row_range& row : all.rows) first.push_back(row.first), count.push_back(row.count);
    auto* at = memory_.data();
    view_.data = placed(at, all.data, who);
    view_.offsets = placed(at, offsets_of(all), who);
    view_.first = placed(at, first, who);
    view_.count = placed(at, count, who);
    view_.length = index.head.of.triangles;
}

void block_jacobi::apply(double* z, const double* r, std::size_t systems, stream_t stream) const {
    kernels_on<vector_kernels>(who_).jacobi(view_, r, z, systems, stream);
}

}  // namespace watari::hmatrix
