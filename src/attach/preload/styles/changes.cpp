#include "changes.hpp"

#include <unistd.h>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../log/standard_error.hpp"
#include "settings.hpp"

namespace attach {
namespace {

constexpr char version[] = WATARI_VERSION;

// The change with this name, -1 if there is none.
int find(const char* name, std::size_t length) {
    for (int i = 0; i < change_count; ++i)
        if (std::strlen(change_names[i]) == length &&
            std::strncmp(change_names[i], name, length) == 0)
            return i;
    return -1;
}

void choose(changes& chosen, change which) {
    chosen.staged = chosen.staged || which == change::staged;
    chosen.pooled = chosen.pooled || which == change::pooled;
    chosen.prefetched = chosen.prefetched || which == change::prefetched;
}

bool is_set(const char* value) { return value && *value; }

}  // namespace

changes refused_changes(const char* format, ...) {
    changes none;
    std::va_list values;
    va_start(values, format);
    std::vsnprintf(none.refused, sizeof none.refused, format, values);
    va_end(values);
    for (char* at = none.refused; *at; ++at)
        if (*at < ' ' || *at > '~') *at = '?';
    return none;
}

changes read_changes() {
    changes chosen;
    const char* words = std::getenv("WATARI_CHANGES");
    if (!is_set(words)) return chosen;
    const char* meant = std::getenv("WATARI_CHANGES_VERSION");
    if (is_set(meant) && std::strcmp(meant, version) != 0)
        return refused_changes("WATARI_CHANGES is of Watari %.40s, the preloaded library of %s",
                               meant, version);
    for (const char* word = words; *word;) {
        const std::size_t length = std::strcspn(word, ",");
        const int found = find(word, length);
        if (found < 0)
            return refused_changes("WATARI_CHANGES has an unknown change '%.*s'",
                                   static_cast<int>(length < 40 ? length : 40), word);
        choose(chosen, static_cast<change>(found));
        word += length + (word[length] == ',');
    }
    chosen.verbose = is_set(std::getenv("WATARI_CHANGES_VERBOSE"));
    return chosen;
}

void complain() {
    static bool done = false;
    const char* reason = settings().changes.refused;
    if (!*reason || __atomic_exchange_n(&done, true, __ATOMIC_RELAXED)) return;
    if (!is_standard_error()) return;
    dprintf(2, "watari: %s: the program runs as it is\n", reason);
}

}  // namespace attach
