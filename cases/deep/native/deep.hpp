/// Case `deep`: a tree of pointers whose arrays a processor updates, kept in one of several styles.
///
/// Boku (2025) asks for this deep copy in addition to flat arrays: to move the tree, a program must
/// rewrite each pointer in it. Memory that both processors address needs no rewrite.
#pragma once

#include "tree.hpp"
#include "watari/core/members.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"
#include "watari/memory/kind.hpp"

#include <cstddef>
#include <string>

namespace watari::deep {

/// A tree of `depth` levels whose nodes share `size` bytes of data.
struct parameters {
    watari::processor processor;
    std::string style;
    unsigned depth = 1;
    std::size_t size = 0;
    std::size_t samples = 1;
    int threads = 1;

    static constexpr std::tuple members{
        member{"processor", &parameters::processor}, member{"style", &parameters::style},
        member{"depth", &parameters::depth},         member{"size", &parameters::size},
        member{"samples", &parameters::samples},     member{"threads", &parameters::threads},
    };

    /// Returns the shape of the tree. Throws usage_error if the depth is out of range or a node
    /// would have no element.
    shape tree() const;
};

/// Runs one trial. Throws unsupported if the machine lacks a capability, beyond_memory if it lacks
/// memory, usage_error for invalid parameters.
measure::trial run(const parameters& p);

/// Prepares the trial of a style: sets the CPU's threads, requires room for the tree in memory of
/// each kind, and loads the kernel's code. Throws beyond_memory if there is no room.
void prepare(measure::trial& into, const parameters& p, memory::kind first);
void prepare(measure::trial& into, const parameters& p, memory::kind first, memory::kind second);

/// Runs all samples: each adds 1 to every element of the tree below `root`.
void iterate(measure::trial& into, const parameters& p, const node* root);

/// Compares the returned tree with the expected result of all samples, and records the wrong
/// elements.
void read_result(measure::trial& into, const parameters& p, const node* root);

}  // namespace watari::deep
