// Changes that a program gets from outside: `watari exec`, and `watari try --changes`. They come by
// the environment:
//
//     WATARI_CHANGES=staged,pooled    rows of the table below; not set: none
//     WATARI_CHANGES_VERSION=0.1.0    the version of Watari that set the variables; not set: any
//     WATARI_CHANGES_VERBOSE=1        one line on standard error at exit (gains.hpp)
//
// An unknown change or another version gives one line on standard error, and the program runs as it
// is. `huge` and `near` act before the program starts: this library only knows their names.
#pragma once

namespace attach {

enum class change { staged, pooled, prefetched, huge, near };
constexpr const char* change_names[] = {"staged", "pooled", "prefetched", "huge", "near"};
constexpr int change_count = sizeof change_names / sizeof *change_names;

struct changes {
    bool staged = false;
    bool pooled = false;
    bool prefetched = false;
    bool verbose = false;
    char refused[256] = "";  // the line for standard error, empty if there is none

    bool any() const { return staged || pooled || prefetched; }
};

// No changes, for this reason. It quotes variables, and a terminal obeys control characters.
[[gnu::format(printf, 1, 2)]] changes refused_changes(const char* format, ...);

// The changes that the environment names.
changes read_changes();

// Prints the line of refused changes, of an unknown style or an unknown rule, once in a process.
// Called when CUDA begins: the shell of a job and its tools load this library, too.
void complain();

}  // namespace attach
