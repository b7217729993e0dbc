#include "radiosity.hpp"

#include "../city/facets.hpp"
#include "row_order.hpp"
#include "sunlight.hpp"
#include "surfaces.hpp"
#include "watari/core/error.hpp"
#include "watari/core/loops.hpp"
#include "watari/krylov/bicgstab.hpp"
#include "watari/measure/clock.hpp"
#include "watari/memory/move.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace watari::les {

namespace {

constexpr std::size_t most_parts = 1024;
constexpr std::uint64_t row_weight = 8;  ///< of a row without non-zeros, in non-zeros

/// Rows with which parts of about equal work begin, and the end.
std::vector<std::uint32_t> parts_of(const view_factors& views) {
    const std::uint64_t rows = views.facets(), all = views.nonzeros() + row_weight * rows;
    const std::uint64_t count = std::min<std::uint64_t>(most_parts, rows);
    std::vector<std::uint32_t> result;
    for (std::uint64_t n = 0; n < rows; ++n)
        if (views.first[n] + row_weight * n >= all * result.size() / count)
            result.push_back(static_cast<std::uint32_t>(n));
    result.push_back(static_cast<std::uint32_t>(rows));
    return result;
}

/// View factors, and how they came.
struct found_views {
    view_factors views;
    double seconds;  ///< to read or to trace them
    bool from_file;
    std::string note;
};

/// Reads the view factors that a file has, or traces them and writes the file.
found_views views_of(const parameters& p, const facet_list& facets) {
    const std::string path = p.view_folder.empty() ? "" : p.view_folder + "/" + view_file_name(p);
    const double start = measure::now();
    if (!path.empty())
        if (auto found = read_views(path, p, facets))
            return {std::move(*found), measure::now() - start, true, ""};
    found_views made{trace_views(p, facets), 0, false, ""};
    made.seconds = measure::now() - start;
    try {
        if (!path.empty()) write_views(path, made.views, p);
    } catch (const error& why) {
        made.note = "the view factors are not kept: " + path + ": " + why.what();
    }
    return made;
}

double fourth(double t) { return t * t * (t * t); }

}  // namespace

/// W, and for the residual W2/m2; long waves, then light.
struct radiosity::sums {
    double given[waves]{}, taken[waves]{}, change2[waves]{}, emitted2[waves]{};

    void operator+=(const sums& other) {
        for (unsigned w = 0; w < waves; ++w) {
            given[w] += other.given[w];
            taken[w] += other.taken[w];
            change2[w] += other.change2[w];
            emitted2[w] += other.emitted2[w];
        }
    }
};

radiosity::radiosity(const parameters& p)
    : who_(p.radiation == radiation_on::gpu ? p.processor : the_cpu),
      kind_(who_.is_gpu() ? memory::kind::device : memory::kind::pageable),
      host_(who_.is_gpu() ? memory::kind::pinned : memory::kind::pageable) {
    const facet_list facets(p);
    found_views found = views_of(p, facets);
    views_.emplace(std::move(found.views));
    view_seconds_ = found.seconds;
    from_file_ = found.from_file;
    note_ = std::move(found.note);
    lay_out(p, facets);
}

radiosity::radiosity(const parameters& p, const facet_list& facets, view_factors views)
    : who_(the_cpu),
      kind_(memory::kind::pageable),
      host_(memory::kind::pageable),
      views_(std::move(views)) {
    lay_out(p, facets);
}

/// Memory that lives as long as this object.
template <class Element>
Element* radiosity::take(memory::kind kind, std::size_t count) {
    const auto pages =
        kind == memory::kind::pageable ? memory::huge_pages::always : memory::huge_pages::as_set;
    held_.emplace_back(kind, std::max<std::size_t>(count, 1) * sizeof(Element),
                       memory::placement{.device = who_.number, .thp = pages});
    return static_cast<Element*>(held_.back().data());
}

/// The same data in memory of the processor.
template <class Element>
const Element* radiosity::there(const Element* data, std::size_t count) {
    if (!who_.is_gpu()) return data;
    auto* const copy = take<Element>(kind_, count);
    memory::copy_now(who_, copy, data, count * sizeof(Element));
    return copy;
}

void radiosity::lay_out(const parameters& p, const facet_list& facets) {
    const std::size_t rows = facets.nodes();
    direct_ = direct_light(p, facets, p.sun);
    const bool day = p.sun[0] > 0;
    sun_ = day ? sun : 0;
    sky_light_ = day ? diffuse : 0;
    area_ = views_->area;
    sky_ = views_->sky;
    nonzeros_ = views_->nonzeros();
    node_ = square_by_square(p, facets);
    row_.resize(rows);
    for (std::uint32_t n = 0; n < rows; ++n) row_[node_[n]] = n;
    views_ = in_order(*views_, node_, row_);
    parts_ = parts_of(*views_);
    heat_.resize(rows);
    light_.resize(rows);
    reflected_.resize(waves * rows);
    for (std::size_t n = 0; n < rows; ++n) {
        if (node_[n] >= facets.count()) continue;  // leaves reflect nothing
        const facet_place& place = facets[node_[n]];
        const surface_kind kind = kind_of(p.surfaces, part_of(place.direction, place.k > 0));
        reflected_[waves * n + long_wave] = kind.reflects_heat;
        reflected_[waves * n + short_wave] = kind.albedo;
    }
    matrix_ = {rows,
               there(views_->first.data(), rows + 1),
               there(views_->column.data(), nonzeros_),
               there(views_->shared.data(), nonzeros_),
               there(views_->area.data(), rows),
               there(reflected_.data(), waves * rows),
               there(parts_.data(), parts_.size()),
               parts_.size() - 1};
    sky_there_ = there(views_->sky.data(), rows);
    for (double** vector : {&emitted_, &now_, &next_}) *vector = take<double>(kind_, waves * rows);
    temperature_ = take<float>(host_, rows);
    received_ = take<float>(host_, 2 * waves * rows);
    temperature_there_ = who_.is_gpu() ? take<float>(kind_, rows) : temperature_;
    received_there_ = who_.is_gpu() ? take<float>(kind_, 2 * waves * rows) : received_;
    std::vector<double> emitted(waves * rows);  // of light; emit() writes the long waves
    for (std::size_t n = 0; n < rows; ++n)
        emitted[waves * n + short_wave] =
            double(reflected_[waves * n + short_wave]) *
            (double(direct_[node_[n]]) * sun_ + double(views_->sky[n]) * sky_light_);
    memory::copy_now(who_, emitted_, emitted.data(), emitted.size() * sizeof(double));
    if (who_.is_gpu()) views_.reset();
}

/// Solves x - r F x = e for both waves as one system, from x = e.
void radiosity::solve() {
    krylov::problem<double> given;
    given.who = who_;
    given.length = waves * matrix_.rows;
    given.b = emitted_;
    given.x = now_;
    given.a.apply = [this](double* y, const double* x, std::size_t, stream_t stream) {
        kernels_on<radiosity_kernels>(who_).apply(matrix_, x, y, stream);
    };
    if (!workspace_) workspace_.emplace(who_, kind_, krylov::bicgstab_bytes(given));
    memory::copy(who_, now_, emitted_, waves * matrix_.rows * sizeof(double), nullptr);
    krylov::bicgstab(given, *workspace_, {.relative = solve_to});
    ++account_.solved;
}

void radiosity::last_sweep() {
    const std::size_t rows = matrix_.rows, count = 2 * waves * rows;
    kernels_on<radiosity_kernels>(who_).last_sweep(matrix_, emitted_, now_, next_, received_there_,
                                                   received_there_ + waves * rows, nullptr);
    std::swap(now_, next_);
    if (who_.is_gpu()) memory::copy_now(who_, received_, received_there_, count * sizeof(float));
}

void radiosity::update(const float* temperature, std::span<const float> leaves) {
    if (matrix_.rows == 0) return;
    const auto& kernels = kernels_on<radiosity_kernels>(who_);
    const std::size_t bytes = matrix_.rows * sizeof(float);
    const std::size_t facets = matrix_.rows - leaves.size();
    cpu::for_each_part(matrix_.rows, [&](std::size_t n, std::size_t last) {
        for (; n < last; ++n) {
            const std::size_t node = node_[n];
            temperature_[n] = node < facets ? temperature[node] : leaves[node - facets];
        }
    });
    if (who_.is_gpu()) memory::copy(who_, temperature_there_, temperature_, bytes, nullptr);
    kernels.emit(matrix_, temperature_there_, sky_there_, sky_radiation, emitted_, nullptr);
    if (!std::exchange(begun_, true)) {
        solve();
    } else {
        for (int n = 1; n < jacobi_sweeps; ++n) {
            kernels.sweep(matrix_, emitted_, now_, next_, nullptr);
            std::swap(now_, next_);
        }
    }
    last_sweep();
    receive();
    if (residual_ > solve_above || imbalance_ > most_imbalance) {
        solve();
        last_sweep();
        receive();
    }
    account_.residual = std::max(account_.residual, residual_);
    account_.imbalance = std::max(account_.imbalance, imbalance_);
}

/// Sets what facets of some rows receive, and returns their sums.
radiosity::sums radiosity::receive(std::size_t first, std::size_t last) {
    sums of;
    const std::size_t rows = matrix_.rows;
    const float *const received = received_, *const change = received_ + waves * rows;
    for (std::size_t n = first; n < last; ++n) {
        const std::size_t node = node_[n];
        const double sky = sky_[node], area = area_[node];
        const double from_sky[waves] = {sky * sky_radiation,
                                        double(direct_[node]) * sun_ + sky * sky_light_};
        const double own =
            (1.0 - double(reflected_[waves * n + long_wave])) * sigma * fourth(temperature_[n]);
        const double emits[waves] = {own, 0};
        float* const into[waves] = {&heat_[node], &light_[node]};
        for (unsigned w = 0; w < waves; ++w) {
            const std::size_t at = waves * n + w;
            const float incoming = static_cast<float>(from_sky[w] + double(received[at]));
            *into[w] = incoming;
            const double r = reflected_[at], leaves = emits[w] + r * incoming;
            const double source = emits[w] + r * from_sky[w];
            of.given[w] += area * (emits[w] + from_sky[w]);
            of.taken[w] += area * ((1.0 - r) * incoming + sky * leaves);
            of.change2[w] += area * (double(change[at]) * double(change[at]));
            of.emitted2[w] += area * source * source;
        }
    }
    return of;
}

std::array<double, 2> radiosity::sent(std::size_t n) const {
    const std::size_t row = row_[n];
    const double reflects[waves] = {double(reflected_[waves * row + long_wave]),
                                    double(reflected_[waves * row + short_wave])};
    return {(1.0 - reflects[long_wave]) * sigma * fourth(temperature_[row]) +
                reflects[long_wave] * double(heat_[n]),
            reflects[short_wave] * double(light_[n])};
}

void radiosity::receive() {
    std::vector<sums> parts(parts_.size() - 1);
    cpu::for_each(
        parts.size(), [&](std::size_t n) { parts[n] = receive(parts_[n], parts_[n + 1]); },
        nullptr);
    sums all;
    for (const sums& part : parts) all += part;
    residual_ = imbalance_ = 0;
    for (unsigned w = 0; w < waves; ++w) {
        if (all.emitted2[w] > 0)
            residual_ = std::max(residual_, std::sqrt(all.change2[w] / all.emitted2[w]));
        if (all.given[w] > 0)
            imbalance_ = std::max(imbalance_, std::abs(all.given[w] - all.taken[w]) / all.given[w]);
    }
}

void record(measure::trial& into, const radiosity& of) {
    const radiation_account& account = of.account();
    into.quantities["view_nonzeros"] = {static_cast<double>(of.nonzeros()), "1"};
    into.quantities["view_s"] = {of.view_seconds(), "s"};
    into.quantities["view_from_file"] = {of.from_file() ? 1.0 : 0.0, "1"};
    into.quantities["least_sky"] = {*std::min_element(of.sky().begin(), of.sky().end()), "1"};
    into.quantities["radiation_residual"] = {account.residual, "1"};
    into.quantities["radiation_imbalance"] = {account.imbalance, "1"};
    into.quantities["radiation_solved"] = {static_cast<double>(account.solved), "1"};
    if (!of.note().empty()) into.notes.insert(into.notes.begin(), of.note());
    const auto bound = [&](const char* what, double value, double most) {
        if (value <= most) return;
        char text[96];
        std::snprintf(text, sizeof text, "radiation between facets: %s %.3g, above %.3g", what,
                      value, most);
        into.wrong_elements = 1;
        into.notes.emplace_back(text);
    };
    bound("residual", account.residual, solve_above);
    bound("energy out of balance by a share of", account.imbalance, most_imbalance);
}

}  // namespace watari::les
