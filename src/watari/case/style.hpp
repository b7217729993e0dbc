/// A style: one of several programs of an application that manage their memory in different ways.
/// Each is a row of the application's styles.json, from which CMake makes the table.
#pragma once

#include "watari/comm/halo.hpp"
#include "watari/core/error.hpp"
#include "watari/core/processor.hpp"
#include "watari/core/with_cuda.hpp"
#include "watari/measure/trial.hpp"
#include "watari/memory/kind.hpp"

#include <span>
#include <string>
#include <string_view>

namespace watari::cases {

constexpr unsigned only(comm::path which) { return 1u << static_cast<unsigned>(which); }
inline constexpr unsigned any_halo = ~0u;

/// From what a compiler makes a style's kernels. `concurrent`: Fortran's own parallel loops;
/// `threads`: a program for the CPU alone. These styles are shared objects, one for each compiler
/// and language.
enum class directives { none, openacc, openmp, concurrent, threads };

/// Properties of a style that do not depend on its application. Nothing else is read out of its
/// name. Kinds of memory are those on a GPU; on the CPU every array is pageable.
struct style_facts {
    std::string_view name;
    memory::kind kind;          ///< of the arrays that a GPU computes on
    memory::kind host = kind;   ///< of the arrays that the CPU fills: another one where they are
                                ///< copied
    memory::kind field = kind;  ///< of the pointer whose halo is exchanged
    unsigned halos = any_halo;  ///< supported paths of the halo: bits of `only`
    bool overlaps = false;      ///< the style can exchange the halo while it computes
    directives language = directives::none;
    bool fortran = false;  ///< the program is in Fortran, else in C++

    bool migrates() const { return memory::row(kind).shared; }  ///< pages may move meanwhile
};

/// `Part` has the parameters of one rank's part.
template <class Part>
struct style : style_facts {
    using part = Part;

    measure::trial (*run)(const Part& p);
    measure::trial (*run_on_cpu)(const Part& p) = nullptr;

    /// Returns the program for a processor, or null if there is none.
    auto on(processor who) const { return who.is_gpu() ? run : run_on_cpu; }
};

/// Returns the program, or null in a build without CUDA, which declares the program but does not
/// define it.
template <class Part>
constexpr auto on_gpu(measure::trial (*program)(const Part& p)) {
    return with_cuda ? program : nullptr;
}

/// Returns the row of a style. Throws usage_error.
template <class Part>
const style<Part>& style_named(std::span<const style<Part>> table, const std::string& name) {
    for (const style<Part>& row : table)
        if (row.name == name) return row;
    throw usage_error("no style is called '" + name + "'");
}

/// Returns the row of a style that has a program for the processor. Throws unsupported if there is
/// none.
template <class Part>
const style<Part>& style_of(std::span<const style<Part>> table, const std::string& name,
                            processor who) {
    for (const style<Part>& row : table)
        if (row.name == name && row.on(who)) return row;
    throw unsupported("style " + name +
                      (!who.is_gpu() ? " needs a GPU; on the CPU use style=system"
                       : with_cuda   ? " is a program for the CPU: processor=cpu"
                                     : " is not part of this build"));
}

/// Throws unsupported if a style is not written for a halo's path, or cannot overlap.
void require_halo(const style_facts& row, comm::path halo, bool overlap, processor who);

}  // namespace watari::cases
