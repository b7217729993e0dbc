#include "record.hpp"

#include "watari/case/timed_iteration.hpp"
#include "watari/core/error.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <span>
#include <string>

namespace watari::lattice {

double over_ranks(const parameters& p, double own) {
    return p.part ? p.part->ranks->sum(own) : own;
}

void record_hop(measure::trial& into, const parameters& p, double seconds) {
    if (p.part) p.part->ranks->maximum(std::span(&seconds, 1));
    into.quantities["hop_s"] = {seconds, "s"};
}

void summarise(measure::trial& into, const parameters& p, bool migrates) {
    if (p.part) p.part->ranks->maximum(into.host_s);  // the slowest rank's
    const double seconds = std::accumulate(into.host_s.begin(), into.host_s.end(), 0.0);
    into.quantities["loop"] = {seconds, "s"};
    cases::name_phases(into, migrates);
}

void record_solve(measure::trial& into, const krylov::reports& all) {
    const krylov::report& worst = *std::max_element(
        all.begin(), all.end(), [](const krylov::report& a, const krylov::report& b) {
            return a.true_residual / a.norm_b < b.true_residual / b.norm_b;
        });
    for (const krylov::report& each : all) {
        if (each.converged()) continue;
        std::array<char, 32> residual{};
        std::snprintf(residual.data(), residual.size(), "%.3e",
                      each.recursive_residual / each.norm_b);
        const bool limit = each.reason == krylov::ending::stopped;
        throw error(std::string("BiCGStab has not converged: ") +
                    (limit ? "limit of iterations" : krylov::name_of(each.reason)) + " at step " +
                    std::to_string(each.iterations) + ", after " +
                    std::to_string(each.applications) + " applications of D; |r|/|b| is " +
                    residual.data());
    }
    into.quantities["iterations"] = {static_cast<double>(all[0].applications), "1"};
    into.quantities["residual"] = {worst.true_residual / worst.norm_b, "1"};
    into.quantities["source_norm2"] = {all[0].norm_b * all[0].norm_b, "1"};
}

}  // namespace watari::lattice
