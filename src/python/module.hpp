/// What the files of the Python module share.
#pragma once

#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"
#include "watari/memory/residency.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <string_view>

namespace nb = nanobind;

/// One in each file of bindings: what it binds when the module is made.
struct binding {
    explicit binding(void (*bind)(nb::module_&));
};

/// The rows of a table, each as what `convert` makes of it.
template <class Rows, class Convert>
nb::list list_of(const Rows& rows, Convert convert) {
    nb::list result;
    for (const auto& row : rows) result.append(convert(row));
    return result;
}

inline nb::str as_text(std::string_view text) { return nb::str(text.data(), text.size()); }

/// The number behind a colon: 1 of `gpu:1`, 0 of `gpu`. Throws usage_error.
int number_in(std::string_view word);

/// `cpu`, `gpu` or `gpu:1`. Throws usage_error.
watari::processor processor_named(std::string_view word);

/// Residency as a result file keeps it.
nb::dict as_dict(const watari::memory::residency& seen);

/// A trial as a worker writes it.
nb::dict as_dict(watari::measure::trial t);
