/// Every solver by name, each with and without a preconditioner.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "krylov/dense.hpp"
#include "watari/krylov/bicgstab.hpp"
#include "watari/krylov/cg.hpp"
#include "watari/krylov/gmres.hpp"
#include "watari/krylov/mixed.hpp"

namespace watari::krylov {

template <class T>
using solver = std::function<reports(dense_system<T>&, const stopping&)>;

template <class T>
struct named_solver {
    std::string name;
    bool any;  ///< takes any A, not only Hermitian, positive definite ones
    solver<T> solve;
};

template <class T>
reports by_cg(const problem<T>& given, const stopping& when = {}) {
    return cg(given, room(given, cg_bytes(given)), when);
}

template <class T>
reports by_bicgstab(const problem<T>& given, const stopping& when = {}) {
    return bicgstab(given, room(given, bicgstab_bytes(given)), when);
}

template <class T>
reports by_gmres(const problem<T>& given, const stopping& when = {},
                 const gmres_options& options = {}) {
    return gmres(given, room(given, gmres_bytes(given, options)), when, options);
}

template <class T>
problem<T> conditioned(dense_system<T>& system) {
    problem<T> given = system.problem();
    given.m = system.diagonal();
    return given;
}

template <class T, class Solve, class Bytes>
reports by_mixed(dense_system<T>& system, const stopping& when, const Solve& solve,
                 const Bytes& bytes) {
    dense_system<lower<T>> copy(the_cpu, system.length(), system.systems());
    copy.copy_matrix(system);
    const problem<T> given = system.problem();
    const low_precision<T> low{.a = copy.problem().a};
    return solve(given, low, room(given, bytes(given, low)), when);
}

template <class T>
std::vector<named_solver<T>> solvers() {
    using system = dense_system<T>;
    std::vector<named_solver<T>> all{
        {"cg", false, [](system& s, const stopping& when) { return by_cg(s.problem(), when); }},
        {"cg with M", false,
         [](system& s, const stopping& when) { return by_cg(conditioned(s), when); }},
        {"bicgstab", true,
         [](system& s, const stopping& when) { return by_bicgstab(s.problem(), when); }},
        {"bicgstab with M", true,
         [](system& s, const stopping& when) { return by_bicgstab(conditioned(s), when); }},
    };
    for (const std::size_t restart : {1, 3, 40})
        for (const char* kind : {"", " with M", " flexible"}) {
            const gmres_options options{.restart = restart, .flexible = *kind && kind[1] == 'f'};
            const bool has_m = *kind;
            all.push_back({"gmres(" + std::to_string(restart) + ")" + kind, true,
                           [=](system& s, const stopping& when) {
                               return by_gmres(has_m ? conditioned(s) : s.problem(), when, options);
                           }});
        }
    if constexpr (sizeof(T) == sizeof(wide<T>)) {
        all.push_back({"cg_mixed", false, [](system& s, const stopping& when) {
                           return by_mixed(s, when, cg_mixed<T>, cg_mixed_bytes<T>);
                       }});
        all.push_back({"bicgstab_mixed", true, [](system& s, const stopping& when) {
                           return by_mixed(s, when, bicgstab_mixed<T>, bicgstab_mixed_bytes<T>);
                       }});
    }
    return all;
}

}  // namespace watari::krylov
