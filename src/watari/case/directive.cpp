#include "watari/case/directive.hpp"

#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/core/loaded/shared_object.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <utility>

namespace watari::cases {

namespace {

/// Part of the names of the shared objects.
std::string part_of(directives language) {
    switch (language) {
        case directives::openacc:
            return "acc";
        case directives::openmp:
            return "omp";
        case directives::concurrent:
            return "std";
        default:
            return "cpu";
    }
}

/// What builds the shared object of a style.
std::string builder(const style_facts& row, compiler by) {
    if (by == compiler::nvhpc)
        return std::string(row.fortran ? "nvfortran" : "nvc++") + " of NVIDIA's HPC SDK";
    if (by == compiler::llvm)
        return row.language == directives::openmp && !row.fortran
                   ? "clang++ with nvptx offload (clang-19 and libomp-19-dev; scripts/offload.sh "
                     "builds it)"
                   : "a compiler of LLVM for this language, which Watari has not been built with: "
                     "clang++ "
                     "compiles OpenMP alone";
    if (row.language == directives::concurrent || row.language == directives::threads)
        return "gfortran";
    return std::string(row.fortran ? "gfortran" : "GCC") +
           " with the package gcc-12-offload-nvptx (Debian) or gcc-13-offload-nvptx (Ubuntu)";
}

}  // namespace

void* load_directive(const std::string& application, const style_facts& row, compiler by,
                     const std::string& folder) {
    const std::string style(row.name), maker(compilers[static_cast<std::size_t>(by)].text);
    const std::string file = "libwatari_" + application + (row.fortran ? "_fortran_" : "_") +
                             part_of(row.language) + "_" + maker + ".so";
    // never unloaded: the runtime library keeps the code that it has loaded onto the GPU
    const shared_object library = load_part(file, folder);
    if (library.handle == nullptr)
        throw unsupported("style " + style + " by compiler=" + maker +
                          " is not in this build: it needs " + builder(row, by) +
                          " when Watari is built [" + library.why_not + "]");
    std::string name = style;
    std::replace(name.begin(), name.end(), '-', '_');
    void* symbol = dlsym(library.handle, name.c_str());
    if (symbol == nullptr) throw unsupported("style " + style + " is not in " + file);
    return symbol;
}

void give_stack(const style_facts& row, compiler by, processor who) {
    if (row.language != directives::openmp || by != compiler::gcc || !who.is_gpu()) return;
    // GCC's library calls kernels by address, so the driver does not know their stack, of which
    // they reserve up to 4 KiB for the functions of their lanes (CMakeLists.txt of the case)
    constexpr std::size_t stack = 8192;
    device::use(who.number);
    device::give_stack(stack);
}

void require_ran(const directive::answer& answer, const std::string& style, processor who) {
    if (answer.no_device)
        throw unsupported(
            "style " + style + ": the compiler's runtime library finds no GPU " +
            std::to_string(who.number) +
            "; GCC's plugin is in the package libgomp-plugin-nvptx1, LLVM's looks for the "
            "driver's library without a version, as scripts/offload.sh makes one");
    if (who.is_gpu() && !answer.ran_on_gpu)
        throw error("style " + style + " did not run on the GPU");
}

void record(measure::trial& into, const directive::answer& answer) {
    const std::pair<const char*, double> parts[] = {{"allocate", answer.allocate},
                                                    {"transfer_in", answer.transfer_in},
                                                    {"transfer_out", answer.transfer_out},
                                                    {"release_device", answer.release_device},
                                                    {"read", answer.read},
                                                    {"release", answer.release}};
    double sum = 0;
    for (const auto& [name, seconds] : parts) {
        if (seconds == 0) continue;
        into.quantities[name] = {seconds, "s"};
        sum += seconds;
    }
    into.quantities["outside_loop"] = {sum, "s"};
    into.quantities["ran_on_gpu"] = {static_cast<double>(answer.ran_on_gpu), "1"};
}

}  // namespace watari::cases
