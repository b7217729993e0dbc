/// The table of styles: each is a program of its own, in styles/, that manages its memory in one
/// style and spells it out. One of styles.cpp and styles_absent.cpp is built.
#pragma once

#include "watari/cases/himeno/himeno.hpp"

#include <span>
#include <string_view>

namespace watari::himeno {

struct style {
    std::string_view name;
    measure::trial (*run)(const part& p);
    measure::trial (*run_on_cpu)(const part& p);
    memory::kind field;  ///< the memory of the pointer whose halo it exchanges, on a GPU
    unsigned halos;      ///< the paths that it can take
    bool overlaps;       ///< it can exchange while it computes

    /// Its program for a processor; null where there is none.
    auto on(processor who) const { return who.is_gpu() ? run : run_on_cpu; }
};

constexpr unsigned only(comm::path which) { return 1u << static_cast<unsigned>(which); }
inline constexpr unsigned any_halo = ~0u;

/// All styles of this build.
std::span<const style> styles();

measure::trial run_explicit(const part& p);
measure::trial run_pinned(const part& p);
measure::trial run_managed(const part& p);
measure::trial run_managed_prefetch(const part& p);
measure::trial run_system(const part& p);
measure::trial run_system_on_cpu(const part& p);
measure::trial run_directive(const part& p);  ///< those in shared objects, directive.hpp

}  // namespace watari::himeno
