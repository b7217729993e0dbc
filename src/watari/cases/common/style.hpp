/// A style: one program among several that manage their memory in different ways, as a row of its
/// application's table.
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

/// Properties of a style that do not depend on its application.
struct style_facts {
    std::string_view name;
    memory::kind field;  ///< the memory of the pointer whose halo it exchanges, on a GPU
    unsigned halos;      ///< the paths that it can take: any of `only`
    bool overlaps;       ///< it can exchange while it computes
};

/// `Part` is what one rank computes.
template <class Part>
struct style : style_facts {
    measure::trial (*run)(const Part& p);
    measure::trial (*run_on_cpu)(const Part& p) = nullptr;

    /// Its program for a processor; null where there is none.
    auto on(processor who) const { return who.is_gpu() ? run : run_on_cpu; }
};

/// A program that a build without CUDA does not have: there it is named, and null.
template <class Part>
constexpr auto on_gpu(measure::trial (*program)(const Part& p)) {
    return with_cuda ? program : nullptr;
}

constexpr unsigned only(comm::path which) { return 1u << static_cast<unsigned>(which); }
inline constexpr unsigned any_halo = ~0u;

/// The row of a name that has a program for a processor. Throws unsupported.
template <class Part>
const style<Part>& style_of(std::span<const style<Part>> table, const std::string& name,
                            processor who) {
    for (const style<Part>& row : table)
        if (row.name == name && row.on(who)) return row;
    throw unsupported("style " + name +
                      (who.is_gpu() ? " is not part of this build"
                                    : " needs a GPU; on the CPU use style=system"));
}

/// Throws unsupported where a style is not written for a halo's path, or cannot overlap.
void require_halo(const style_facts& row, comm::path halo, bool overlap, processor who);

}  // namespace watari::cases
