// The directive styles on ranks of the CPU: directives_on_ranks SPLIT, started by mpirun. Every
// style gives the published numbers of 8x8x8x16, whatever the split.
#include "../native/ranks/ranks.hpp"
#include "../native/styles.hpp"

#include "directive_styles.hpp"

#include <cmath>
#include <cstdio>
#include <exception>

using namespace watari;
using lattice::parameters;

namespace watari::lattice {
measure::trial run_directive(const parameters& p);  // loads the style first
}

namespace {

bool near(double value, double wanted) {
    return std::abs(value - wanted) <= 1e-9 * std::abs(wanted);
}

template <std::size_t Number>
measure::trial run_style(const parameters& p) {
    return run_directive(p, lattice::directive_styles[Number].second);
}

bool is_right(const lattice::style& row, const lattice::extents& split) {
    parameters p = lattice::directive_parameters(std::string(row.name), {8, 8, 8, 16});
    p.split = split;
    const measure::trial made = lattice::run_on_ranks(p, row);
    const auto value = [&](const char* name) { return made.quantities.at(name).value; };
    const bool right = value("iterations") == 219 && near(value("norm2"), 58774.4661711278) &&
                       near(value("log_det"), -57.877906765333961) &&
                       near(value("links_re"), 96998.090205745) && value("residual") < 1e-12 &&
                       made.host_s.size() == 109;
    if (!right)
        std::printf("%s: %g applications, norm2 %.15g, log det %.15g, residual %.3g\n",
                    p.style.c_str(), value("iterations"), value("norm2"), value("log_det"),
                    value("residual"));
    return right;
}

/// A style that no compiler here made is refused by all ranks, so that none waits for the others.
bool refuses_missing(const lattice::extents& split) {
    const lattice::style row{
        {.name = "acc-data", .kind = memory::kind::pageable}, nullptr, lattice::run_directive};
    parameters p = lattice::directive_parameters("acc-data", {8, 8, 8, 16});
    p.split = split;
    p.by = cases::compiler::nvhpc;
    try {
        lattice::run_on_ranks(p, row);
    } catch (const comm::refused&) {
        return true;
    }
    std::puts("a style that is not there was not refused");
    return false;
}

}  // namespace

int main(int count, char** words) {
    lattice::extents split;
    if (count != 2 ||
        std::sscanf(words[1], "%ux%ux%ux%u", &split.x, &split.y, &split.z, &split.t) != 4)
        return 2;
    constexpr unsigned by_host = cases::only(comm::path::staged);
    const lattice::style rows[] = {
        {{.name = "acc-data", .kind = memory::kind::pageable, .halos = by_host},
         nullptr,
         run_style<0>},
        {{.name = "acc-host-data", .kind = memory::kind::pageable, .halos = by_host},
         nullptr,
         run_style<1>},
        {{.name = "acc-managed", .kind = memory::kind::managed, .halos = by_host},
         nullptr,
         run_style<2>},
        {{.name = "omp-target", .kind = memory::kind::pageable, .halos = by_host},
         nullptr,
         run_style<3>},
        {{.name = "omp-device-ptr", .kind = memory::kind::pageable, .halos = by_host},
         nullptr,
         run_style<4>}};
    try {
        bool right = true;
        for (const lattice::style& row : rows) right = is_right(row, split) && right;
        right = refuses_missing(split) && right;
        if (right) comm::finish();  // otherwise mpirun ends the other ranks
        return right ? 0 : 1;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
}
