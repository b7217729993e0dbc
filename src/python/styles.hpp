/// The table of an application's styles, for the module that Python imports.
#pragma once

#include "module.hpp"
#include "watari/case/style.hpp"

#include <span>

/// Returns a row for each style.
template <class Part>
nb::list rows_of(std::span<const watari::cases::style<Part>> styles) {
    using namespace watari;
    return list_of(styles, [](const cases::style_facts& style) {
        nb::list halos;
        for (const comm::path path : comm::paths)
            if (style.halos & cases::only(path)) halos.append(as_text(comm::name_of(path)));
        nb::dict row;
        row["name"] = as_text(style.name);
        row["kind"] = as_text(memory::row(style.kind).name);
        row["host"] = as_text(memory::row(style.host).name);
        row["field"] = as_text(memory::row(style.field).name);
        row["halos"] = nb::tuple(halos);
        row["in_directives"] = style.language != cases::directives::none;
        row["fortran"] = style.fortran;
        return row;
    });
}
