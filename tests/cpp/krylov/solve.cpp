// Solves the dense systems of a folder, for comparison with SciPy.
//   krylov_solve PROCESSOR METHOD TYPE LENGTH SYSTEMS FOLDER
//                [tolerance iterations restart preconditioned]
// PROCESSOR: cpu, or gpu for the first one. The GPU's workspace lies in its own memory.
// METHOD: cg, bicgstab, gmres, fgmres, cg_mixed, bicgstab_mixed, or enqueue_cg (a fixed count).
// TYPE: NumPy's f, d, F or D. FOLDER/{a,b,x} are raw arrays, row by row, a system after the other;
// x is replaced, and the reports are printed as JSON.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "krylov/dense.hpp"
#include "watari/krylov/bicgstab.hpp"
#include "watari/krylov/cg.hpp"
#include "watari/krylov/gmres.hpp"
#include "watari/krylov/mixed.hpp"

namespace watari::krylov {
namespace {

struct request {
    processor who;
    std::string method, folder;
    std::size_t length, systems;
    stopping when;
    std::size_t restart;
    bool preconditioned;
};

template <class T>
void read(const std::string& file, T* to, std::size_t count) {
    std::ifstream from(file, std::ios::binary);
    if (!from.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count * sizeof(T))))
        throw usage_error(file + ": shorter than " + std::to_string(count * sizeof(T)) + " bytes");
}

/// Throws usage_error for any other word.
processor processor_of(const std::string& word) {
    if (word != "cpu" && word != "gpu") throw usage_error("no processor " + word + ": cpu or gpu");
    return word == "gpu" ? gpu_number(0) : the_cpu;
}

workspace room(processor who, std::size_t bytes) {
    return {who, who.is_gpu() ? memory::kind::device : memory::kind::pageable, bytes};
}

template <class T>
reports solve_mixed(const request& asked, const problem<T>& given, dense_system<T>& system) {
    dense_system<lower<T>> copy(asked.who, asked.length, asked.systems);
    copy.copy_matrix(system);
    low_precision<T> low{.a = copy.problem().a};
    if (asked.preconditioned) low.m = copy.diagonal();
    if (asked.method == "cg_mixed")
        return cg_mixed(given, low, room(asked.who, cg_mixed_bytes(given, low)), asked.when);
    return bicgstab_mixed(given, low, room(asked.who, bicgstab_mixed_bytes(given, low)),
                          asked.when);
}

template <class T>
reports solve_with(const request& asked, dense_system<T>& system) {
    problem<T> given = system.problem();
    if (asked.preconditioned) given.m = system.diagonal();
    if (asked.method == "cg") return cg(given, room(asked.who, cg_bytes(given)), asked.when);
    if (asked.method == "bicgstab")
        return bicgstab(given, room(asked.who, bicgstab_bytes(given)), asked.when);
    if (asked.method == "gmres" || asked.method == "fgmres") {
        const gmres_options options{.restart = asked.restart, .flexible = asked.method == "fgmres"};
        return gmres(given, room(asked.who, gmres_bytes(given, options)), asked.when, options);
    }
    if (asked.method == "enqueue_cg") {
        const workspace memory = room(asked.who, cg_bytes(given));
        enqueue_cg(given, memory, asked.when.iterations);
        return cg_result(given, memory, asked.when);
    }
    if constexpr (sizeof(T) == sizeof(wide<T>))
        if (asked.method == "cg_mixed" || asked.method == "bicgstab_mixed")
            return solve_mixed(asked, given, system);
    throw usage_error("no method " + asked.method + " for this type");
}

void print_number(const char* name, double value) {
    std::isfinite(value) ? std::printf(", \"%s\": %.17g", name, value)
                         : std::printf(", \"%s\": null", name);
}

template <class T>
void solve(const request& asked) {
    dense_system<T> system(asked.who, asked.length, asked.systems);
    read(asked.folder + "/a", system.matrix(), asked.length * asked.length);
    read(asked.folder + "/b", system.b(), asked.length * asked.systems);
    read(asked.folder + "/x", system.x(), asked.length * asked.systems);
    const char* before = "[";
    for (const report& one : solve_with(asked, system)) {
        std::printf("%s{\"reason\": \"%s\", \"iterations\": %zu, \"applications\": %zu", before,
                    name_of(one.reason), one.iterations, one.applications);
        print_number("recursive_residual", one.recursive_residual);
        print_number("true_residual", one.true_residual);
        print_number("norm_b", one.norm_b);
        std::printf("}");
        before = ", ";
    }
    std::printf("]\n");
    std::ofstream(asked.folder + "/x", std::ios::binary)
        .write(reinterpret_cast<const char*>(system.x()),
               static_cast<std::streamsize>(asked.length * asked.systems * sizeof(T)));
}

}  // namespace
}  // namespace watari::krylov

int main(int count, char** words) try {
    using namespace watari;
    if (count < 7 || count > 11)
        throw usage_error("krylov_solve PROCESSOR METHOD TYPE LENGTH SYSTEMS FOLDER [...]");
    const auto number = [&](int i, double other) {
        return i < count ? std::strtod(words[i], nullptr) : other;
    };
    krylov::request asked{.who = krylov::processor_of(words[1]),
                          .method = words[2],
                          .folder = words[6],
                          .length = std::strtoul(words[4], nullptr, 10),
                          .systems = std::strtoul(words[5], nullptr, 10),
                          .when = {.relative = number(7, 1e-10),
                                   .iterations = static_cast<std::size_t>(number(8, 1000))},
                          .restart = static_cast<std::size_t>(number(9, 30)),
                          .preconditioned = number(10, 0) != 0};
    switch (words[3][0]) {
        case 'f':
            krylov::solve<float>(asked);
            break;
        case 'd':
            krylov::solve<double>(asked);
            break;
        case 'F':
            krylov::solve<complex<float>>(asked);
            break;
        case 'D':
            krylov::solve<complex<double>>(asked);
            break;
        default:
            throw usage_error(std::string("no type ") + words[3]);
    }
} catch (const watari::error& reason) {
    std::fprintf(stderr, "%s: %s\n", reason.name(), reason.what());
    return 1;
}
