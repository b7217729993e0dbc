/// Case `deep`: a tree of pointers whose arrays a processor updates, kept in one of several styles.
///
/// The deep copy that Boku (2025) asks for beside flat arrays: to move the tree, each pointer in it
/// must be made anew. Memory that both processors address needs none of it.
#pragma once

#include "watari/cases/deep/tree.hpp"
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

    /// Throws usage_error where a node would have no element.
    shape tree() const;
};

/// One trial. Throws unsupported for what the machine does not have, beyond_memory for what it has
/// not enough of, usage_error for what cannot be meant.
measure::trial run(const parameters& p);

/// What a style does first: threads, room for the tree in memory of each kind, cold code.
void prepare(measure::trial& into, const parameters& p, memory::kind first);
void prepare(measure::trial& into, const parameters& p, memory::kind first, memory::kind second);

/// All samples: each adds one to every element of the tree that hangs on `root`.
void iterate(measure::trial& into, const parameters& p, const node* root);

/// Compares the tree that came back with what the samples must have made of it.
void read_result(measure::trial& into, const parameters& p, const node* root);

}  // namespace watari::deep
