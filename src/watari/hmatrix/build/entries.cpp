#include "watari/hmatrix/build/entries.hpp"

#include "watari/core/backend.hpp"
#include "watari/hmatrix/surface/rules.hpp"

#include <algorithm>
#include <cmath>

namespace watari::hmatrix {

namespace {

namespace source = cpu::panel_rules;

constexpr std::size_t piece = entry_piece;

using rule = double(const panel_arrays&, std::size_t point, std::size_t panel);

/// Entry k of a piece is of panel j + k and point i, or of panel j and point i + k.
template <rule* Rule, bool Row>
inline __attribute__((always_inline)) void each(const panel_arrays& of, std::size_t i,
                                                std::size_t j, std::size_t count, double* to) {
#pragma GCC ivdep
    for (std::size_t k = 0; k < count; ++k) to[k] = Rule(of, Row ? i : i + k, Row ? j + k : j);
}

// a function each, since a template has no clones
WATARI_CLONES void squares_of(const panel_arrays& of, bool row, std::size_t i, std::size_t j,
                              std::size_t count, double* to) {
    row ? each<source::squared_distance, true>(of, i, j, count, to)
        : each<source::squared_distance, false>(of, i, j, count, to);
}
WATARI_CLONES void three_of(const panel_arrays& of, bool row, std::size_t i, std::size_t j,
                            std::size_t count, double* to) {
    row ? each<source::three_points, true>(of, i, j, count, to)
        : each<source::three_points, false>(of, i, j, count, to);
}
WATARI_CLONES void seven_of(const panel_arrays& of, bool row, std::size_t i, std::size_t j,
                            std::size_t count, double* to) {
    row ? each<source::seven_points, true>(of, i, j, count, to)
        : each<source::seven_points, false>(of, i, j, count, to);
}

}  // namespace

entry_table::entry_table(std::span<const panel> panels, double tolerance)
    : panels_(panels),
      potential_(tolerance),
      seven_from_(potential_.from(1)),
      three_from_(potential_.from(2)) {
    constexpr double point::*axes[] = {&point::x, &point::y, &point::z};
    const std::size_t n = panels.size();
    values_.resize(values_of_a_panel * n);
    double* at = values_.data();
    const auto next = [&](const auto& value) {
        for (const panel& one : panels) *at++ = value(one);
    };
    for (const auto axis : axes) next([=](const panel& one) { return one.centroid.*axis; });
    for (const std::size_t corner : {0, 1, 2})
        for (const auto axis : axes)
            next([=](const panel& one) { return (one.corners[corner] - one.centroid).*axis; });
    next([](const panel& one) { return one.area; });
    next([](const panel& one) { return 1 / (one.size * one.size); });
}

panel_arrays panel_arrays_in(const double* values, std::size_t n) {
    panel_arrays all{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        all.centroid[axis] = values + axis * n;
        for (std::size_t corner = 0; corner < 3; ++corner)
            all.to_corner[corner][axis] = values + (3 + 3 * corner + axis) * n;
    }
    all.area = values + 12 * n;
    all.inverse_size = values + 13 * n;
    return all;
}

template <bool Row>
void entry_table::run(std::size_t i, std::size_t j, std::size_t count, double* to) const {
    const panel_arrays of = panel_arrays_in(values_.data(), panels_.size());
    double square[piece];
    while (count > 0) {
        const std::size_t size = std::min(count, piece);
        squares_of(of, Row, i, j, size, square);
        const auto [least, most] = std::minmax_element(square, square + size);
        if (*least >= three_from_)
            three_of(of, Row, i, j, size, to);
        else if (*most >= seven_from_)
            seven_of(of, Row, i, j, size, to);
        for (std::size_t k = 0; *least < seven_from_ && k < size; ++k)
            if (square[k] < seven_from_) to[k] = Row ? one(i, j + k) : one(i + k, j);
        (Row ? j : i) += size;
        to += size;
        count -= size;
    }
}

void entry_table::row(std::size_t i, std::size_t first, std::size_t count, double* to) const {
    run<true>(i, first, count, to);
}

void entry_table::column(std::size_t j, std::size_t first, std::size_t count, double* to) const {
    run<false>(first, j, count, to);
}

}  // namespace watari::hmatrix
