/// Axes `thp` and `page` of the cases that place CPU memory.
#pragma once

#include "case.hpp"
#include "watari/memory/host.hpp"
#include "watari/memory/kind.hpp"

/// Sets `thp` and `page`. For pages of the ordinary size larger ones are disabled; pages of any
/// other size come from the kernel's pool, which has no transparent pages. Throws unsupported.
template <class Parameters>
void take_pages(Parameters& into, const nb::dict& p) {
    using watari::memory::huge_pages;
    into.thp = chosen<huge_pages>(text(p, "thp"), {{"default", huge_pages::as_set},
                                                   {"always", huge_pages::always},
                                                   {"never", huge_pages::never}});
    if (nb::isinstance<nb::str>(p["page"])) return;
    if (into.thp != huge_pages::as_set)
        throw watari::unsupported("page names the size of all pages: leave thp=default");
    const std::size_t page = number(p, "page");
    const bool ordinary = page == watari::memory::host::page_size();
    if (ordinary) into.thp = huge_pages::never;
    into.page = ordinary ? 0 : page;
}
