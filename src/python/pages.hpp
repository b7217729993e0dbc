/// Axes `thp` and `page` of the cases that place CPU memory.
#pragma once

#include "case.hpp"
#include "watari/memory/host.hpp"
#include "watari/memory/kind.hpp"

/// For pages of the ordinary size larger ones are disabled; pages of any other size come from the
/// kernel's pool, which has no transparent pages. Throws unsupported.
inline constexpr auto settle_pages = [](auto& p) {
    using watari::memory::huge_pages;
    if (p.page == 0) return;
    if (p.thp != huge_pages::as_set)
        throw watari::unsupported("page names the size of all pages: leave thp=default");
    if (p.page != watari::memory::host::page_size()) return;
    p.thp = huge_pages::never;
    p.page = 0;
};
