#include "hmatrix.hpp"

#include "exact_row.hpp"
#include "iterations.hpp"
#include "row_check.hpp"
#include "stored_matrix.hpp"
#include "watari/case/ranks.hpp"
#include "watari/core/error.hpp"
#include "watari/measure/clock.hpp"
#include "watari/memory/move.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace watari::hmatrix {

namespace {

constexpr double single_error = 3e-8;  ///< of an element of 4 bytes, which is rounded

/// Vectors of all systems in memory of the processor.
class vectors {
public:
    vectors(processor who, std::size_t count)
        : who_(who), data_(memory::local_kind(who), count, {.device = who.number}) {}
    double* data() const { return data_.data(); }
    void set(const std::vector<double>& values) {
        memory::copy_now(who_, data_.data(), values.data(), 8 * values.size());
    }
    std::vector<double> get() const { return memory::read_back(who_, data_.data(), data_.size()); }

private:
    processor who_;
    memory::buffer<double> data_;
};

/// Smooth potentials, a different one for each system; the first is that of the conductor.
std::vector<double> right_hand_sides(const surface& of, std::size_t systems) {
    std::vector<double> b(of.signs);
    for (std::size_t s = 1; s < systems; ++s)
        for (const panel& one : of.panels)
            b.push_back(1 + 0.5 * std::sin(static_cast<double>(s) * one.centroid.x));
    return b;
}

/// The sum over ranks, or the only rank's value.
template <class Value>
Value over_ranks(const case_parameters& p, Value own) {
    return p.solve.ranks ? p.solve.ranks->sum(own) : own;
}

std::vector<std::array<point, 3>> corners_of(const surface& of) {
    std::vector<std::array<point, 3>> all;
    for (const panel& one : of.panels) all.push_back(one.corners);
    return all;
}

/// Multiplies once, for the first time, and compares rows with those of the dense matrix. Each rank
/// draws among its own leaves. `x` and `y` are memory for the vectors of all systems.
template <class Multiply>
void verify_first(const surface& of, const stored_matrix& matrix, const case_parameters& p,
                  vectors& x, const vectors& y, const Multiply& multiply, measure::trial& result) {
    const comm::communicator* const all = p.solve.ranks;
    const bool first = !all || all->rank() == 0;
    const std::uint64_t seed = over_ranks(p, std::uint64_t{first ? std::random_device()() : 0});
    const std::uint64_t own_seed = seed + static_cast<std::uint64_t>(all ? all->rank() : 0);
    const std::vector<double> values = check_vector(of.size() * p.solve.product.systems, seed);
    x.set(values);
    multiply();
    const std::vector<std::size_t> rows = draw_rows(matrix.index().leaves, own_seed);
    const double eps = p.build.eps + (p.build.single ? single_error : 0);
    const std::uint64_t wrong = wrong_rows(exact_rows(corners_of(of)), rows, values, y.get(), eps);
    result.wrong_elements = over_ranks(p, wrong);
    result.quantities["checked_rows"] = {
        static_cast<double>(over_ranks(p, std::uint64_t{rows.size()})), "1"};
    result.quantities["seed"] = {static_cast<double>(seed), "1"};
}

/// Reports the residual, and the charge of the triangles at the positive potential.
void report_solution(const surface& of, const solution& found, std::size_t steps,
                     measure::trial& result) {
    double charge = 0, residual = 0;
    for (std::size_t i = 0; i < of.size(); ++i)
        if (of.signs[i] > 0) charge += found.x[i] * of.panels[i].area;
    for (const krylov::report& one : found.reports)
        residual = std::max(residual, one.true_residual / one.norm_b);
    for (const krylov::report& one : found.reports)
        if (steps > 0 && one.reason == krylov::ending::stopped)
            result.notes.push_back("the solver was stopped after " + std::to_string(steps) +
                                   " iterations: its capacitance is not that of the surface");
        else if (!one.converged())
            result.notes.push_back(std::string("the solver ended by ") + name_of(one.reason));
    result.quantities["capacitance"] = {charge, "4 pi eps0 m"};
    result.quantities["residual"] = {residual, "1"};
    result.quantities["products"] = {static_cast<double>(found.products), "1"};
    result.quantities["solve_s"] = {found.seconds, "s"};
    result.quantities["read_s"] = {found.waited, "s"};
}

/// Reports the bytes of the matrix and of a product's reads, over all ranks, and the seconds of the
/// build.
void report_matrix(const stored_matrix& matrix, const solver& by, const case_parameters& p,
                   measure::trial& result) {
    const auto size =
        static_cast<double>(over_ranks(p, std::uint64_t{matrix.index().data_bytes()}));
    const product_forecast& ahead = by.ahead().product;
    const auto read = static_cast<double>(over_ranks(p, std::uint64_t{ahead.read}));
    const auto resident = static_cast<double>(over_ranks(p, std::uint64_t{ahead.resident}));
    result.bytes_per_sample = size;
    result.quantities["matrix_bytes"] = {size, "B"};
    result.quantities["read_bytes"] = {read, "B"};
    // counted in batches, which read a page twice if two of them share it
    result.quantities["resident_fraction"] = {resident / (resident + read), "1"};
    const auto& counts = matrix.counts();
    if (over_ranks(p, std::uint64_t{counts.has_value()}) > 0)
        result.quantities["build_s"] = {counts ? counts->seconds : 0, "s"};
    if (p.store != "file" && matrix.memory().empty())
        result.notes.emplace_back("the matrix lies in a file in memory, without direct I/O");
    if (const std::string both = matrix.on_one_device(); !both.empty())
        result.notes.push_back(both + " are on one device: its rate is shared");
    if (const std::string& notice = matrix.notice(); !notice.empty())
        result.notes.push_back(notice);
}

/// The trial of a rank, or of the only one.
measure::trial run_rows(const surface& of, const case_parameters& p) {
    stored_matrix matrix(of, p);
    solve_options how = p.solve;
    matrix.place(how.product);
    solver by(matrix.paths(), matrix.index(), how);
    const std::size_t systems = how.product.systems;
    const std::vector<double> b = right_hand_sides(of, systems);
    vectors x(how.product.who, b.size()), y(how.product.who, b.size());
    measure::trial result;
    const auto multiply = [&] {
        by.multiply(y.data(), x.data(), systems);
        memory::wait(how.product.who);
    };
    verify_first(of, matrix, p, x, y, multiply, result);
    x.set(b);
    result.first_sample = measure::now();
    for (std::size_t n = 0; n < p.samples; ++n) {
        const double start = measure::now();
        multiply();
        result.host_s.push_back(measure::now() - start);
    }
    iteration_log steps(by, p.steps);
    const solution found =
        by.solve(b, [&](std::size_t, double residual) { return steps.add(residual); });
    report_solution(of, found, p.steps, result);
    steps.report(result);
    report_matrix(matrix, by, p, result);
    return result;
}

/// The same parameters with the rows and the processor of this rank.
case_parameters of_rank(const surface& of, case_parameters p, const comm::communicator& all) {
    const auto rank = static_cast<std::size_t>(all.rank());
    const std::vector<block> leaves = leaves_of(of.tree, p.build.eta);
    p.build.rows = divided(of.tree, leaves, p.ranks)[rank];
    p.solve.product.who = p.build.who = cases::own_processor(p.solve.product.who, all);
    p.solve.ranks = &all;
    return p;
}

}  // namespace

measure::trial run(const surface& of, const case_parameters& p) {
    if (p.samples < 1) throw usage_error("samples are 1 or more");
    if (p.ranks == 1) return run_rows(of, p);
    const comm::communicator& all = comm::world();
    cases::require_ranks("of rows", p.ranks, p.solve.product.who, all);
    return cases::on_ranks(all, [&] { return run_rows(of, of_rank(of, p, all)); });
}

}  // namespace watari::hmatrix
