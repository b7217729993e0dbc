/// What bindings of cases share: parameters from a dict, and a trial back as one.
#pragma once

#include "module.hpp"
#include "watari/core/error.hpp"

#include <initializer_list>
#include <string>
#include <utility>

/// The value that belongs to a word. Throws watari::usage_error.
template <class Value>
Value chosen(const std::string& word, std::initializer_list<std::pair<const char*, Value>> table) {
    for (const auto& [known, value] : table)
        if (word == known) return value;
    throw watari::usage_error("'" + word + "' is not known here");
}

inline std::string text(const nb::dict& p, const char* name) {
    return nb::cast<std::string>(p[name]);
}

template <class Parameters>
Parameters with_common(const nb::dict& p) {
    Parameters result;
    result.size = nb::cast<std::size_t>(p["size"]);
    result.samples = nb::cast<std::size_t>(p["samples"]);
    result.threads = nb::cast<int>(p["threads"]);
    result.oversubscribe = nb::cast<bool>(p["oversubscribe"]);
    return result;
}

/// Binds one case: dict of parameters -> dict of a trial, without the interpreter's lock.
template <class Parameters>
void bind_case(nb::module_& module, const char* name, Parameters (*read)(const nb::dict&),
               watari::measure::trial (*run)(const Parameters&), const char* doc) {
    module.def(
        name,
        [read, run](const nb::dict& p) {
            const Parameters parameters = read(p);
            watari::measure::trial result;
            {
                const nb::gil_scoped_release released;
                result = run(parameters);
            }
            return as_dict(std::move(result));
        },
        nb::arg("parameters"), doc);
}
