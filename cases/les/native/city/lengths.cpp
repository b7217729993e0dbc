#include "lengths.hpp"

#include "columns.hpp"
#include "watari/core/loops.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace watari::les {

namespace {

constexpr std::ptrdiff_t window = 6;  ///< cells: the largest distance of a wall that counts

/// Square of the distance from a cell's centre to the box of a cell `offset` away along one axis.
double square_gap(std::ptrdiff_t offset, double d) {
    const double gap = offset == 0 ? 0 : (static_cast<double>(std::abs(offset)) - 0.5) * d;
    return gap * gap;
}

/// Squares of the distance to the nearest solid cell's box, for one plane of the part. One pass
/// along each axis, within 6 cells, equals a search of the whole box.
class distances {
public:
    distances(const parameters& p, const columns& heights)
        : p_(&p),
          heights_(&heights),
          nx_(p.grid.size.x),
          width_(nx_ + 2 * window),
          beside_(width_),
          rows_(nx_ * (p.grid.size.y + 2 * window)),
          nearest_(nx_) {}

    void plane(std::ptrdiff_t k) {
        for (std::size_t j = 0; j < p_->grid.size.y + 2 * window; ++j) {
            const int* const height = heights_->row(static_cast<std::ptrdiff_t>(j) - window);
            for (std::size_t i = 0; i < width_; ++i) beside_[i] = below(k, height[i]);
            double* const row = rows_.data() + j * nx_;
            std::fill_n(row, nx_, INFINITY);
            for (std::ptrdiff_t n = -window; n <= window; ++n)
                take(row, beside_.data() + (n + window), square_gap(n, p_->spacing[0]));
        }
    }
    /// Returns the squares of row j of the part.
    const double* row(std::size_t j) {
        std::fill_n(nearest_.data(), nx_, INFINITY);
        for (std::ptrdiff_t n = -window; n <= window; ++n)
            take(nearest_.data(), rows_.data() + (j + static_cast<std::size_t>(n + window)) * nx_,
                 square_gap(n, p_->spacing[1]));
        return nearest_.data();
    }

private:
    void take(double* nearest, const double* other, double more) const {
        for (std::size_t i = 0; i < nx_; ++i) {
            const double there = more + other[i];
            nearest[i] = there < nearest[i] ? there : nearest[i];
        }
    }
    /// Returns the square of the distance along z from plane k to the solid cells of a column.
    double below(std::ptrdiff_t k, int height) const {
        const std::ptrdiff_t offset = std::max<std::ptrdiff_t>(0, k - (height - 1));
        return height == 0 || offset > window ? INFINITY : square_gap(offset, p_->spacing[2]);
    }

    const parameters* p_;
    const columns* heights_;
    std::size_t nx_, width_;
    std::vector<double> beside_, rows_, nearest_;
};

}  // namespace

template <class Real>
void build_lengths(Real* length2, const parameters& p) {
    const grid& g = p.grid;
    cpu::for_each(
        g.size.z + 2,
        [&](std::size_t plane) { std::fill_n(length2 + plane * g.plane(), g.plane(), Real(0)); },
        nullptr);
    const constants& c = p.air;
    const double free = c.smagorinsky * std::cbrt(p.spacing[0] * p.spacing[1] * p.spacing[2]);
    if (free == 0) return;
    const auto length = [&](double square) {
        const double near = c.karman * (std::sqrt(square) + c.roughness);
        return Real(1 / (1 / (free * free) + 1 / (near * near)));
    };
    const auto ground = [&](std::size_t k) {
        const double z = (static_cast<double>(k) + 0.5) * p.spacing[2];
        return z * z;
    };
    const columns heights(p, window);
    const int tallest = heights.tallest();
    const std::size_t walls =  // planes with a wall within the window
        tallest == 0 ? 0 : std::min(g.size.z, static_cast<std::size_t>(tallest + window));
    cpu::for_each_part(walls, [&](std::size_t k, std::size_t last) {
        distances squares(p, heights);
        for (; k < last; ++k) {
            squares.plane(static_cast<std::ptrdiff_t>(k));
            for (std::size_t j = 0; j < g.size.y; ++j) {
                const double* const nearest = squares.row(j);
                for (std::size_t i = 0; i < g.size.x; ++i)
                    length2[g.at(k, j, i)] = length(std::min(ground(k), nearest[i]));
            }
        }
    });
    cpu::for_each(
        g.size.z - walls,
        [&](std::size_t n) {
            const Real value = length(ground(walls + n));
            for (std::size_t j = 0; j < g.size.y; ++j)
                std::fill_n(length2 + g.at(walls + n, j, 0), g.size.x, value);
        },
        nullptr);
}

template void build_lengths<float>(float*, const parameters&);
template void build_lengths<double>(double*, const parameters&);

}  // namespace watari::les
