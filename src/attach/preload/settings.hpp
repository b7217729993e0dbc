// What `watari try` and `watari trace` ask of this library, by the environment:
//
//     WATARI_ATTACH_LOG=FOLDER     where events go (event_log.hpp); none: nothing is recorded
//     WATARI_ATTACH_STYLE=managed  a row of the table below; none: as-is
//     WATARI_ATTACH_RULES=FILE     which allocations: one rule a line
//
// A rule is `size>=BYTES`, `site:HASH` or `site:HASH#ORDINAL`; `!` before one keeps what matches as
// it is. An allocation is moved if it has every size that is asked for, is of one of the sites
// (where any is named), and no rule keeps it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace attach {

enum class kind { device, managed, pinned, system };
constexpr const char* kind_names[] = {"device", "managed", "pinned", "system"};

// What is done to memory that is managed: by the program's own choice or because it was moved.
enum class treatment { none, prefetch, mapped, read_mostly, preferred_gpu, accessed_by };

struct style {
    const char* name;
    kind device_becomes;  // device: GPU memory stays what it is
    treatment of_managed;
};

constexpr style styles[] = {
    {"as-is", kind::device, treatment::none},
    {"managed", kind::managed, treatment::none},
    {"managed-prefetch", kind::managed, treatment::prefetch},
    {"mapped", kind::managed, treatment::mapped},
    {"pinned", kind::pinned, treatment::none},
    {"system", kind::system, treatment::none},
    {"read-mostly", kind::device, treatment::read_mostly},
    {"preferred-gpu", kind::device, treatment::preferred_gpu},
    {"accessed-by", kind::device, treatment::accessed_by},
};

// Of this process. A style that is not in the table ends it with a message.
const style& chosen_style();

// The folder of the event log, null where there is none.
const char* log_folder();

// Whether the rules move the allocation with this ordinal (0, 1, ...) of this call site.
bool is_chosen(std::uint32_t site, std::uint32_t ordinal, std::size_t bytes);

}  // namespace attach
