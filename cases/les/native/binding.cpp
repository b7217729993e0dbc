// Case `les` for Python.
#include "python/case.hpp"

#include "les.hpp"
#include "radiation/people.hpp"
#include "ranks/ranks.hpp"

#include <nanobind/ndarray.h>

#include <array>
#include <initializer_list>
#include <optional>
#include <utility>

namespace {

using namespace watari;

/// A trial whose planes `plan` in z and `cut` in y are returned, for pictures.
struct pictured : les::parameters {
    std::size_t plan = 0, cut = 0;
    std::array<double, 2> force{air.force[0], air.force[1]};  ///< m/s2 along x and y

    static constexpr auto members =
        std::tuple_cat(les::parameters::members,
                       std::tuple{member{"plan", &pictured::plan}, member{"cut", &pictured::cut},
                                  member{"force", &pictured::force}});
};

/// Returns a NumPy array that takes over the memory of numbers.
nb::object array_of(std::vector<float>&& numbers, std::initializer_list<std::size_t> shape) {
    auto* const kept = new std::vector<float>(std::move(numbers));
    const nb::capsule owner(kept,
                            [](void* of) noexcept { delete static_cast<std::vector<float>*>(of); });
    return nb::cast(nb::ndarray<nb::numpy, float>(kept->data(), shape, owner));
}

/// Returns u, v, w or theta of a whole city, [z][y][x], without halos, in single precision.
template <class Real>
nb::object array_of(const les::parameters& p, const std::vector<std::byte>& kept) {
    const les::grid g = p.whole_grid();
    const auto* const from = reinterpret_cast<const Real*>(kept.data());
    std::vector<float> numbers;
    numbers.reserve(g.size.cells());
    for (std::size_t k = 0; k < g.size.z; ++k)
        for (std::size_t j = 0; j < g.size.y; ++j) {
            const Real* const row = from + g.at(k, j, 0);
            numbers.insert(numbers.end(), row, row + g.size.x);
        }
    return array_of(std::move(numbers), {g.size.z, g.size.y, g.size.x});
}

/// Count of numbers in the two planes of a touch.
std::size_t plane_numbers(const les::parameters& p) {
    return 4 * p.whole.x * (p.whole.y + p.whole.z);
}

void append(std::vector<float>& to, const les::parameters& p, const std::byte* planes) {
    const auto add = [&](const auto* from) { to.insert(to.end(), from, from + plane_numbers(p)); };
    if (p.precision == les::precision::single_precision)
        add(reinterpret_cast<const float*>(planes));
    else
        add(reinterpret_cast<const double*>(planes));
}

/// Returns the planes as [touch][u v w theta][row of y, then of z][x].
nb::object array_of_planes(const les::parameters& p, std::vector<float>&& planes) {
    const std::size_t touches = planes.size() / plane_numbers(p);
    return array_of(std::move(planes), {touches, 4, p.whole.y + p.whole.z, p.whole.x});
}

/// Returns the velocities around two planes of cells at the end, which determine those at the
/// cells' centres. Layout as the planes of a touch: u v w of plane k, then of the x-z plane j;
/// instead of theta, w above plane k and v behind plane j.
template <class Real>
std::vector<float> velocities_of_planes(const les::parameters& p, std::byte* const (&flow)[4],
                                        std::size_t k, std::size_t j) {
    const les::grid g = p.whole_grid();
    const std::size_t x = p.whole.x, y = p.whole.y;
    std::vector<float> result;
    result.reserve(plane_numbers(p));
    const auto add = [&](unsigned component, std::size_t at) {
        const Real* const from = reinterpret_cast<const Real*>(flow[component]) + at;
        result.insert(result.end(), from, from + x);
    };
    for (unsigned n = 0; n < 4; ++n) {
        const bool beside = n == 3;
        for (std::size_t row = 0; row < y; ++row)
            add(beside ? 2 : n, g.at(beside ? k + 1 : k, row, 0));
        for (std::size_t row = 0; row < p.whole.z; ++row)
            add(beside ? 1 : n, g.at(row, beside ? (j + 1) % y : j, 0));
    }
    return result;
}

/// The radiation on people: light on six planes, long waves, the beam, the temperature of the
/// ground: [14][y][x].
nb::object array_of_people(const les::parameters& p, const les::person_light& of) {
    std::vector<float> all;
    for (const auto* group : {&of.light, &of.heat})
        for (const std::vector<float>& each : *group)
            all.insert(all.end(), each.begin(), each.end());
    for (const std::vector<float>* each : {&of.beam, &of.ground})
        all.insert(all.end(), each->begin(), each->end());
    return array_of(std::move(all), {2 * les::person_planes + 2, p.whole.y, p.whole.x});
}

nb::dict run(const nb::dict& given, const nb::object& progress, bool keep) {
    auto p = parameters_of<pictured>("les", given);
    for (unsigned a = 0; a < 2; ++a) p.air.force[a] = p.force[a];
    if (!progress.is_none())
        p.progress = [&](int step, double seconds) {
            const nb::gil_scoped_acquire held;
            progress(step, seconds);
        };
    std::vector<std::byte> kept[4];
    std::vector<float> velocities;
    if (p.split.cells() == 1)  // with several ranks, each has a part of the city
        p.result = [&](std::byte* const(&flow)[4]) {
            velocities = p.precision == les::precision::single_precision
                             ? velocities_of_planes<float>(p, flow, p.plan, p.cut)
                             : velocities_of_planes<double>(p, flow, p.plan, p.cut);
            const std::size_t bytes = p.whole_grid().points() * p.real_bytes();
            for (unsigned n = 0; n < 4 && keep; ++n) kept[n].assign(flow[n], flow[n] + bytes);
        };
    std::vector<std::byte> wet[2];
    if (p.split.cells() == 1 && keep)
        p.wet_result = [&](std::byte* const(&of)[2]) {
            const std::size_t bytes = p.whole_grid().points() * p.real_bytes();
            for (unsigned n = 0; n < 2; ++n) wet[n].assign(of[n], of[n] + bytes);
        };
    std::optional<les::person_light> people;
    if (keep) p.people = [&](const les::person_light& of) { people = of; };
    std::vector<float> planes;
    if (keep) p.planes = [&](int, const std::byte* seen) { append(planes, p, seen); };
    nb::dict trial = trial_of(les::run, p);
    if (!velocities.empty()) trial["seen"] = array_of_planes(p, std::move(velocities));
    if (!planes.empty()) trial["planes"] = array_of_planes(p, std::move(planes));
    const auto add = [&](const char* name, const std::vector<std::byte>& of) {
        trial[name] = p.precision == les::precision::single_precision ? array_of<float>(p, of)
                                                                      : array_of<double>(p, of);
    };
    constexpr const char* names[] = {"u", "v", "w", "theta"};
    for (unsigned n = 0; n < 4 && keep; ++n) add(names[n], kept[n]);
    if (!wet[0].empty()) add("q", wet[0]), add("l", wet[1]);
    if (people) trial["people"] = array_of_people(p, *people);
    return trial;
}

void require_split(const nb::dict& given) {
    auto p = parameters_of<les::parameters>("les", given);
    p.grid = p.whole_grid();
    les::require_shares(p);
}

}  // namespace

static void bind_les(nb::module_& module) {
    module.def(
        "les_require_split", require_split, nb::arg("parameters"),
        "Raises UsageError where the levels of the pressure do not divide the ranks' shares.");
    module.def(
        "les", run, nb::arg("parameters"), nb::arg("progress") = nb::none(),
        nb::arg("keep") = false,
        "One trial of case `les`; `grid` is the cells along x, y, z, `split` the ranks along "
        "them, `city` the heights of buildings in cells, [y][x]; the trial's `seen` "
        "are velocities around the planes `plan` in z and `cut` in y. `progress` is "
        "called with step and simulated seconds; `keep`: the trial has u, v, w at low "
        "faces and theta, [z][y][x], with mist q above the first humidity, and l; with radiation "
        "`people`, that on six planes 1.5 m above each street: light, long waves, then the beam "
        "and the ground's temperature, [14][y][x]. With several "
        "ranks every rank calls it.");
}

static const binding les_bindings(bind_les);
