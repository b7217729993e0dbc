#include "watari/hmatrix/build/leaf.hpp"

#include "watari/core/error.hpp"
#include "watari/hmatrix/build/cross.hpp"
#include "watari/hmatrix/file/format.hpp"

#include <algorithm>
#include <cstring>

namespace watari::hmatrix {

namespace {

/// Blocks of so few entries are computed whole: ACA would ask for most of them.
constexpr std::size_t few_entries = 1024;

template <class Element>
std::vector<std::byte> converted(const std::vector<double>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(Element));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = static_cast<Element>(values[i]);
        std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
    }
    return bytes;
}

std::vector<std::byte> bytes_of(const std::vector<double>& values, bool single) {
    return single ? converted<float>(values) : converted<double>(values);
}

double checked_eps(double eps) {
    if (!(eps >= 1e-11 && eps < 1)) throw usage_error("eps is from 1e-11 to below 1");
    return eps;
}

}  // namespace

leaf_maker::leaf_maker(std::span<const panel> panels, const build_options& how)
    : panels_(panels), how_(how), potential_(checked_eps(how.eps) / 10) {}

void leaf_maker::row(const block& of, std::size_t i, double* to) const {
    const point at = panels_[of.row + i].centroid;
    for (std::size_t j = 0; j < of.columns; ++j) to[j] = potential_(panels_[of.column + j], at);
}

void leaf_maker::column(const block& of, std::size_t j, double* to) const {
    const panel& own = panels_[of.column + j];
    for (std::size_t i = 0; i < of.rows; ++i) to[i] = potential_(own, panels_[of.row + i].centroid);
}

made_leaf leaf_maker::make_dense(const block& of) const {
    std::vector<double> values(of.entries());
    for (std::size_t i = 0; i < of.rows; ++i) row(of, i, values.data() + i * of.columns);
    return {dense, bytes_of(values, how_.single), values.size()};
}

made_leaf leaf_maker::make(const block& of) const {
    if (!of.admissible) return make_dense(of);
    made_leaf leaf{};
    std::vector<double> whole;
    block_entries entries{of.rows, of.columns, {}, {}};
    if (of.entries() <= few_entries) {
        whole.resize(of.entries());
        for (std::size_t i = 0; i < of.rows; ++i) row(of, i, whole.data() + i * of.columns);
        leaf.entries = of.entries();
        entries.row = [&](std::size_t i, double* to) {
            std::copy_n(whole.data() + i * of.columns, of.columns, to);
        };
        entries.column = [&](std::size_t j, double* to) {
            for (std::size_t i = 0; i < of.rows; ++i) to[i] = whole[i * of.columns + j];
        };
    } else {
        entries.row = [&](std::size_t i, double* to) {
            row(of, i, to), leaf.entries += of.columns;
        };
        entries.column = [&](std::size_t j, double* to) {
            column(of, j, to), leaf.entries += of.rows;
        };
    }
    // half of the error for ACA, half for what recompression drops
    const double eps = how_.eps / 2;
    const std::size_t edges = std::size_t{of.rows} + of.columns;
    const std::size_t paying = (of.entries() - 1) / edges;  // rank x edges stays below the entries
    const std::size_t most =
        how_.recompress ? std::min<std::size_t>({of.rows, of.columns, 2 * paying}) : paying;
    const crosses crossed = cross_approximation(entries, eps, most);
    leaf.went_on = crossed.went_on;
    if (crossed.found) {
        const factors low = how_.recompress ? recompressed(*crossed.found, eps) : *crossed.found;
        if (low.rank <= paying) {
            std::vector<double> values(low.v);
            values.resize(low.rank * edges);
            for (std::size_t i = 0; i < of.rows; ++i)
                for (std::size_t r = 0; r < low.rank; ++r)
                    values[low.rank * of.columns + i * low.rank + r] = low.u[r * of.rows + i];
            leaf.rank = static_cast<std::uint32_t>(low.rank);
            leaf.data = bytes_of(values, how_.single);
            return leaf;
        }
    }
    leaf.rank = dense;
    if (!whole.empty()) {
        leaf.data = bytes_of(whole, how_.single);
        return leaf;
    }
    made_leaf computed = make_dense(of);
    computed.entries += leaf.entries;
    computed.went_on = leaf.went_on;
    return computed;
}

}  // namespace watari::hmatrix
