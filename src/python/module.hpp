/// Declarations that the files of the Python module share.
#pragma once

#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"
#include "watari/memory/residency.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <functional>
#include <string>
#include <string_view>

namespace nb = nanobind;

/// Each file of bindings has one: it registers the function that binds the file's contents.
struct binding {
    explicit binding(void (*bind)(nb::module_&));
};

/// Returns the rows of a table, each converted by `convert`: a function, or a member of the rows.
template <class Rows, class Convert = std::identity>
nb::list list_of(const Rows& rows, Convert convert = {}) {
    nb::list result;
    for (const auto& row : rows) result.append(std::invoke(convert, row));
    return result;
}

/// Calls work() without the interpreter's lock, and returns its result.
template <class Work>
auto without_lock(const Work& work) {
    const nb::gil_scoped_release released;
    return work();
}

inline nb::str as_text(std::string_view text) { return nb::str(text.data(), text.size()); }

/// Residency in the form of a result file.
nb::dict as_dict(const watari::memory::residency& seen);

/// A trial in the form that a worker writes.
nb::dict as_dict(watari::measure::trial t);
