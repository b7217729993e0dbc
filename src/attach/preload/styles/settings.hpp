// Settings of this library, which `watari try`, `trace` and `exec` pass by the environment:
//
//     WATARI_ATTACH_LOG=FOLDER     folder of the event log (event_log.hpp); not set: no log
//     WATARI_ATTACH_CLOCK=1        only times the run: no line of an allocation, release or copy
//     WATARI_ATTACH_STYLE=managed  a row of the table below; not set: as-is
//     WATARI_ATTACH_RULES=FILE     rules that select allocations, one per line
//     WATARI_CHANGES=...           changes.hpp
//
// A rule is `size>=BYTES`, `site:HASH`, `site:HASH#ORDINAL` or `copy:HASH`; with `!` before it,
// matching allocations are kept as they are. An allocation is moved if it matches all rules on the
// size and one rule on a site (if there is any), and no rule keeps it. Changes of copies follow the
// rules on the size and `copy:HASH` in the same way.
#pragma once

#include <cstddef>
#include <cstdint>

#include "changes.hpp"

namespace attach {

enum class kind { device, managed, pinned, system };
constexpr const char* kind_names[] = {"device", "managed", "pinned", "system"};

// The treatment of managed memory, whether the program asked for it or this library moved it there.
enum class treatment { none, prefetch, mapped, read_mostly, preferred_gpu, accessed_by };

struct style {
    const char* name;
    kind device_becomes;  // device: GPU memory is not moved
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

struct process_settings {
    attach::changes changes;
};

// The settings of this process, read once.
const process_settings& settings();

// The style of this process; as-is if it or a rule is not known (changes.hpp, complain).
const style& chosen_style();

// The folder of the event log, null if it is not set.
const char* log_folder();

// The same, null if the run is only timed.
const char* memory_log_folder();

// Whether the rules move the allocation with this ordinal (0, 1, ...) of this call site.
bool is_chosen(std::uint32_t site, std::uint32_t ordinal, std::size_t bytes);

// Whether the rules let a change act on a copy of this call site.
bool is_copy_chosen(std::uint32_t site, std::size_t bytes);

// Whether a rule names a copy.
bool names_copies();

// Whether the log or a rule needs the call sites of allocations.
bool names_allocations();

}  // namespace attach
