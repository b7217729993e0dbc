// The directive styles on ranks of the CPU: himeno_directives_on_ranks SPLIT, started by mpirun.
// Every style gives the field of one rank to the bit, and its gosa, whatever the split.
#include "../native/ranks.hpp"

#include "directive_styles.hpp"

#include <cmath>
#include <cstdio>
#include <exception>

using namespace watari;
using himeno::parameters;

namespace {

himeno::directive::function program;  ///< of the style that runs

measure::trial run_program(const himeno::part& p) { return run_directive(p, program); }

bool is_right(const std::string& style, himeno::form form, himeno::grid split) {
    parameters p;
    p.style = style, p.form = form, p.data = himeno::data::general;
    p.size = {11, 12, 14}, p.iterations = 6;
    const measure::trial alone = run_directive(himeno::part(p), program);
    p.split = split;
    himeno::style row{{.name = style, .kind = memory::kind::pageable}, nullptr, run_program};
    const measure::trial made = himeno::run_on_ranks(p, row);
    const auto print = [](const measure::trial& t) { return t.quantities.at("fingerprint").value; };
    bool right = print(made) == print(alone);
    for (std::size_t n = 0; n < 6; ++n) {
        const double one = alone.series.at("gosa")[n], all = made.series.at("gosa")[n];
        right = right && std::abs(all - one) <= 1e-12 * one;
    }
    if (!right)
        std::printf("%s: gosa %.15g, on one rank %.15g; field %.0f, %.0f\n", style.c_str(),
                    made.series.at("gosa")[5], alone.series.at("gosa")[5], print(made),
                    print(alone));
    return right;
}

}  // namespace

int main(int count, char** words) {
    himeno::grid split{};
    if (count != 2 || std::sscanf(words[1], "%zux%zux%zu", &split.i, &split.j, &split.k) != 3)
        return 2;
    try {
        bool right = true;
        for (const auto& [style, function] : himeno::directive_styles)
            for (const himeno::form form : {himeno::form::fused, himeno::form::two_kernel}) {
                program = function;
                right = is_right(style, form, split) && right;
            }
        if (right) comm::finish();  // otherwise mpirun ends the other ranks
        return right ? 0 : 1;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
}
