#include "exact_row.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace watari::hmatrix {

namespace {

double inner(point a, point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
double norm(point a) { return std::sqrt(inner(a, a)); }
point outer(point a, point b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
point centroid(const std::array<point, 3>& of) { return (1.0 / 3) * (of[0] + of[1] + of[2]); }

double near(const std::array<point, 3>& of, point at) {
    const std::array<point, 3> r{of[0] - at, of[1] - at, of[2] - at};
    const point twice = outer(r[1] - r[0], r[2] - r[0]), n = (1 / norm(twice)) * twice;
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        const point p = r[k], q = r[(k + 1) % 3], along = q - p;
        const double l = norm(along), t = inner(outer(p, along), n) / l;
        if (std::abs(t) > 1e-14 * l) sum += 2 * t * std::atanh(l / (norm(p) + norm(q)));
    }
    const double a = norm(r[0]), b = norm(r[1]), c = norm(r[2]);
    const double below =
        a * b * c + inner(r[0], r[1]) * c + inner(r[1], r[2]) * a + inner(r[2], r[0]) * b;
    const double angle = 2 * std::atan2(std::abs(inner(r[0], outer(r[1], r[2]))), below);
    return sum - std::abs(inner(r[0], n)) * angle;
}

/// Points in (0, 1) and weights, by Newton's method from the usual first guess.
std::vector<std::pair<double, double>> gauss_legendre(unsigned order) {
    std::vector<std::pair<double, double>> points;
    for (unsigned k = 0; k < order; ++k) {
        double x = std::cos(std::numbers::pi * (k + 0.75) / (order + 0.5)), slope = 0;
        for (int step = 0; step < 8; ++step) {
            double before = 1, value = x;
            for (unsigned n = 2; n <= order; ++n)
                before = std::exchange(value, ((2 * n - 1) * x * value - (n - 1) * before) / n);
            slope = order * (x * value - before) / (x * x - 1);
            x -= value / slope;
        }
        points.emplace_back((1 + x) / 2, 1 / ((1 - x * x) * slope * slope));
    }
    return points;
}

/// From these distances a rule of `order` x `order` points has the error of the head comment.
struct order_from {
    double distance;
    unsigned order;
};
constexpr order_from orders[] = {{60, 3}, {20, 4}, {5, 6}, {2, 12}};

}  // namespace

exact_rows::exact_rows(std::vector<std::array<point, 3>> corners) : corners_(std::move(corners)) {
    for (const auto& [distance, order] : orders) {
        rule& to = rules_.emplace_back(rule{distance, {}});
        const auto line = gauss_legendre(order);
        for (const auto& [u, of_u] : line)
            for (const auto& [v, of_v] : line)
                to.points.push_back({u * (1 - v), u * v, u * of_u * of_v});
    }
}

double exact_rows::entry(const std::array<point, 3>& of, point at) const {
    const point a = of[1] - of[0], b = of[2] - of[0], from = of[0] - at;
    const double longest = std::max({norm(a), norm(b), norm(b - a)});
    const double distance = norm(centroid(of) - at) / longest;
    for (const rule& each : rules_) {
        if (distance < each.from) continue;
        double sum = 0;
        for (const auto& [u, v, weight] : each.points) sum += weight / norm(from + u * a + v * b);
        return norm(outer(a, b)) * sum;
    }
    return near(of, at);
}

std::vector<double> exact_rows::operator()(std::size_t i) const {
    const point at = centroid(corners_[i]);
    std::vector<double> row;
    row.reserve(corners_.size());
    for (const auto& one : corners_) row.push_back(entry(one, at));
    return row;
}

}  // namespace watari::hmatrix
