/// Functions that bindings of cases share: a dict of parameters becomes the dict of a trial.
#pragma once

#include "module.hpp"
#include "parameters.hpp"

#include <string>
#include <utility>

/// Paths may contain any bytes that the kernel accepts: converted as by `os.fsdecode`.
inline nb::object decoded(const std::string& text) {
    return nb::steal(
        PyUnicode_DecodeFSDefaultAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

/// Runs a trial of a case without the interpreter's lock, and returns it as a dict.
template <class Run, class... Parameters>
nb::dict trial_of(const Run& run, const Parameters&... parameters) {
    return as_dict(without_lock([&] { return run(parameters...); }));
}

/// A callback of the library that asks Python, which holds the interpreter's lock meanwhile: false
/// stops the work.
inline auto asking(const nb::callable& progress) {
    return [&progress](auto... values) {
        const nb::gil_scoped_acquire acquired;
        return nb::cast<bool>(progress(values...));
    };
}

inline constexpr auto as_given = [](auto&) {};

/// Binds one case, whose parameters have a table of members. `settle` completes them, or refuses
/// what is not possible together.
template <class Parameters, class Settle = decltype(as_given)>
void bind_case(nb::module_& module, const char* name,
               watari::measure::trial (*run)(const Parameters&), const char* doc,
               Settle settle = {}) {
    module.def(
        name,
        [name, run, settle](const nb::dict& given) {
            auto parameters = parameters_of<Parameters>(name, given);
            settle(parameters);
            return trial_of(run, parameters);
        },
        nb::arg("parameters"), doc);
}
