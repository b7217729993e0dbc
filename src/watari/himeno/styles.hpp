/// The table of styles: each is a program of its own, in styles/, that manages its memory in one
/// way and spells it out. One of styles.cpp and styles_absent.cpp is built.
#pragma once

#include "watari/himeno/himeno.hpp"

#include <span>
#include <string_view>

namespace watari::himeno {

struct style {
    std::string_view name;
    measure::trial (*run)(const parameters& p);
    bool on_cpu;  ///< the CPU can run it too
};

/// All styles of this build.
std::span<const style> styles();

measure::trial run_explicit(const parameters& p);
measure::trial run_pinned(const parameters& p);
measure::trial run_managed(const parameters& p);
measure::trial run_managed_prefetch(const parameters& p);
measure::trial run_system(const parameters& p);
measure::trial run_directive(const parameters& p);  ///< those in shared objects, directive.hpp

}  // namespace watari::himeno
