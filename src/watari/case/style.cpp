#include "watari/case/style.hpp"

namespace watari::cases {

void require_halo(const style_facts& row, comm::path halo, bool overlap, processor who) {
    const std::string name = "style " + std::string(row.name);
    if (overlap && !who.is_gpu())
        throw unsupported(
            "overlap=yes: on the CPU every thread computes, none is left to exchange");
    if (overlap && !row.overlaps)
        throw unsupported(name + " takes no overlap=yes: its program says what overlaps");
    if (row.halos & only(halo)) return;
    std::string known;
    for (const comm::path path : comm::paths)
        if (row.halos & only(path))
            known += (known.empty() ? "" : ", ") + std::string(name_of(path));
    throw unsupported(name + " is not written for halo=" + std::string(name_of(halo)) +
                      "; it has " + known);
}

}  // namespace watari::cases
