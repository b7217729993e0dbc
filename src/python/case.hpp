/// Functions that bindings of cases share: read parameters from a dict, return a trial as a dict.
#pragma once

#include "module.hpp"
#include "watari/core/error.hpp"

#include <initializer_list>
#include <string>
#include <utility>

/// Returns the value of a word in a table. Throws watari::usage_error.
template <class Value>
Value chosen(const std::string& word, std::initializer_list<std::pair<const char*, Value>> table) {
    for (const auto& [known, value] : table)
        if (word == known) return value;
    throw watari::usage_error("'" + word + "' is not known here");
}

inline std::string text(const nb::dict& p, const char* name) {
    return nb::cast<std::string>(p[name]);
}

inline std::size_t number(const nb::dict& p, const char* name) {
    return nb::cast<std::size_t>(p[name]);
}

/// Paths may contain any bytes that the kernel accepts: converted here as by `os.fsencode`, in
/// `decoded` as by `os.fsdecode`.
inline std::string path(const nb::dict& p, const char* name) {
    PyObject* bytes = nullptr;
    if (!PyUnicode_FSConverter(nb::object(p[name]).ptr(), &bytes)) throw nb::python_error();
    const auto owned = nb::steal<nb::bytes>(bytes);
    return {owned.c_str(), owned.size()};
}
inline nb::object decoded(const std::string& text) {
    return nb::steal(
        PyUnicode_DecodeFSDefaultAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
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

/// Runs a trial of a case without the interpreter's lock, and returns it as a dict.
template <class Run, class... Parameters>
nb::dict trial_of(const Run& run, const Parameters&... parameters) {
    watari::measure::trial result;
    {
        const nb::gil_scoped_release released;
        result = run(parameters...);
    }
    return as_dict(std::move(result));
}

/// Binds one case: dict of parameters -> dict of a trial, without the interpreter's lock.
template <class Parameters>
void bind_case(nb::module_& module, const char* name, Parameters (*read)(const nb::dict&),
               watari::measure::trial (*run)(const Parameters&), const char* doc) {
    module.def(
        name, [read, run](const nb::dict& p) { return trial_of(run, read(p)); },
        nb::arg("parameters"), doc);
}
