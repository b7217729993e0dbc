#include "sky.hpp"

#include "city.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace watari::les {

namespace {

using std::numbers::pi;

constexpr unsigned azimuths = 16, south = azimuths;
constexpr double reach_of_heights = 10;  // distance of the search for the horizon, in heights
constexpr double normal_x[directions] = {0, 1, -1, 0, 0}, normal_y[directions] = {0, 0, 0, 1, -1};

/// The directions of the azimuths, followed by the south.
struct compass {
    double east[azimuths + 1], north[azimuths + 1];
    double before[directions][azimuths];  ///< cosine of the angle to a wall's normal

    compass() {
        for (unsigned n = 0; n <= azimuths; ++n) {
            const double azimuth = n == south ? -pi / 2 : (n + 0.5) * 2 * pi / azimuths;
            east[n] = std::cos(azimuth);
            north[n] = std::sin(azimuth);
            for (unsigned d = 0; d < directions && n < azimuths; ++d)
                before[d][n] = std::cos(azimuth - std::atan2(normal_y[d], normal_x[d]));
        }
    }
};

/// floor of a number within the range of an int: one instruction, where the library's floor is a
/// call.
std::ptrdiff_t whole_below(double x) {
    const auto whole = static_cast<std::ptrdiff_t>(x);
    return whole - (static_cast<double>(whole) > x ? 1 : 0);
}

std::size_t around(std::ptrdiff_t n, std::size_t size) {
    const auto all = static_cast<std::ptrdiff_t>(size);
    while (n < 0) n += all;
    while (n >= all) n -= all;
    return static_cast<std::size_t>(n);
}

/// Returns the angle of the horizon seen from (x, y, z), metres.
double horizon(const parameters& p, double top, double x, double y, double z, double east,
               double north) {
    const double step = 0.5 * std::min(p.spacing[0], p.spacing[1]);
    double steepest = 0;
    for (double s = step; s <= reach_of_heights * top; s += step) {
        if (top - z <= steepest * s) break;  // nothing farther away is higher
        const std::size_t i = around(whole_below((x + s * east) / p.spacing[0]), p.whole.x),
                          j = around(whole_below((y + s * north) / p.spacing[1]), p.whole.y);
        const double above = p.heights[j * p.whole.x + i] * p.spacing[2] - z;
        if (above > 0) steepest = std::max(steepest, above / s);
    }
    return std::atan(steepest);
}

}  // namespace

double tallest(const parameters& p) {
    return *std::max_element(p.heights.begin(), p.heights.end()) * p.spacing[2];
}

view view_from(const parameters& p, double top, unsigned direction, std::size_t k, std::size_t j,
               std::size_t i) {
    static const compass to;
    const bool up = direction == 0;
    const double half = 0.5;
    const double x = (static_cast<double>(i) + half - half * normal_x[direction]) * p.spacing[0],
                 y = (static_cast<double>(j) + half - half * normal_y[direction]) * p.spacing[1],
                 z = (static_cast<double>(k) + (up ? 0 : half)) * p.spacing[2];
    const auto angle = [&](unsigned n) {
        return horizon(p, top, x, y, z, to.east[n], to.north[n]);
    };
    constexpr double apart = 2 * pi / azimuths;
    double sky = 0;
    for (unsigned n = 0; n < azimuths; ++n) {
        const double before = to.before[direction][n];
        if (!up && before <= 0) continue;
        const double b = angle(n);
        sky += up ? std::cos(b) * std::cos(b) / azimuths
                  : before * ((pi / 2 - b) / 2 - std::sin(2 * b) / 4) * apart / pi;
    }
    const bool towards = up || direction == static_cast<unsigned>(facing::minus_y);
    return {std::min(sky, up ? 1.0 : 0.5), towards && angle(south) < pi / 4};
}

}  // namespace watari::les
