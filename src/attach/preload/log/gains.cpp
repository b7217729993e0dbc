#include "gains.hpp"

#include <unistd.h>
#include <cstdio>

#include "../styles/settings.hpp"
#include "event_log.hpp"
#include "standard_error.hpp"

namespace attach {
namespace {

struct total {
    std::uint64_t times, bytes;
    std::int64_t saved;  // nanoseconds
};
total totals[change_count];
bool uses_cuda = false;

constexpr const char* nouns[change_count][2] = {
    {"copy", "copies"}, {"allocation", "allocations"}, {"prefetch", "prefetches"}, {}, {}};

template <class Number>
Number load(Number& from) {
    return __atomic_load_n(&from, __ATOMIC_RELAXED);
}

__attribute__((destructor)) void print_gains() {
    if (!settings().changes.verbose || !is_standard_error()) return;
    char line[512];
    std::size_t size = 0;
    for (int i = 0; i < change_count; ++i) {
        total& row = totals[i];
        const unsigned long long times = load(row.times);
        const double saved = static_cast<double>(load(row.saved)) * 1e-9;
        if (!times) continue;
        size += static_cast<std::size_t>(std::snprintf(
            line + size, sizeof line - size, "%s%s: %llu %s, %.3g GB, about %.3g s %s",
            size ? "; " : "", change_names[i], times, nouns[i][times > 1],
            static_cast<double>(load(row.bytes)) * 1e-9, saved < 0 ? -saved : saved,
            saved < 0 ? "lost" : "saved"));
    }
    if (size || uses_cuda) dprintf(2, "watari: %s\n", size ? line : "nothing was changed");
}

}  // namespace

void expect_gains() { __atomic_store_n(&uses_cuda, true, __ATOMIC_RELAXED); }

void add_gain(change which, std::size_t bytes, std::int64_t saved) {
    total& row = totals[static_cast<int>(which)];
    __atomic_add_fetch(&row.times, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&row.bytes, bytes, __ATOMIC_RELAXED);
    __atomic_add_fetch(&row.saved, saved, __ATOMIC_RELAXED);
}

void record_gains() {
    for (int i = 0; i < change_count; ++i)
        if (total& row = totals[i]; load(row.times))
            event("changed", now())
                .text("change", change_names[i])
                .number("times", static_cast<long long>(load(row.times)))
                .number("bytes", static_cast<long long>(load(row.bytes)))
                .number("saved_ns", load(row.saved))
                .write();
}

void forget_gains() {
    for (total& row : totals) row = {};
    uses_cuda = false;
}

}  // namespace attach
