#include "settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace attach {
namespace {

constexpr std::uint32_t any_ordinal = 0xffffffff;

struct rule {
    std::size_t least_bytes;  // 0: a rule on a site
    std::uint32_t site;
    std::uint32_t ordinal;
    bool keeps;
    bool is_of_copies;
};

struct known_settings {
    process_settings open;
    const style* chosen = &styles[0];
    const char* folder = nullptr;
    bool is_timed_only = false;
    rule* rules = nullptr;
    std::size_t count = 0;
};

// The environment is read once, before the program can change it. Constructors of the program's
// libraries run earlier than this library's, and may allocate: the first call reads it.
known_settings of_process;
bool is_read = false;

// Styles and rules are of one version of Watari, like changes: with one that is not known here, the
// program runs as it is.
void refuse(const char* what, const char* value) {
    of_process.chosen = &styles[0];
    of_process.count = 0;
    of_process.open.changes =
        refused_changes("%s '%.200s' is not one that the preloaded library reads", what, value);
}

bool parse(const char* text, rule& parsed) {
    parsed = {0, 0, any_ordinal, *text == '!', false};
    if (parsed.keeps) ++text;
    char* end = nullptr;
    if (std::strncmp(text, "size>=", 6) == 0) {
        parsed.least_bytes = std::strtoull(text + 6, &end, 10);
        return end != text + 6 && *end == 0 && parsed.least_bytes > 0;
    }
    parsed.is_of_copies = std::strncmp(text, "copy:", 5) == 0;
    if (!parsed.is_of_copies && std::strncmp(text, "site:", 5) != 0) return false;
    parsed.site = static_cast<std::uint32_t>(std::strtoul(text + 5, &end, 16));
    if (end == text + 5) return false;
    if (*end == '#' && !parsed.is_of_copies)
        parsed.ordinal = static_cast<std::uint32_t>(std::strtoul(end + 1, &end, 10));
    return *end == 0;
}

bool add_rule(const char* text) {
    void* more = std::realloc(of_process.rules, (of_process.count + 1) * sizeof(rule));
    if (!more) return false;
    of_process.rules = static_cast<rule*>(more);
    if (!parse(text, of_process.rules[of_process.count])) return false;
    ++of_process.count;
    return true;
}

void read_rules(const char* path) {
    std::FILE* file = std::fopen(path, "re");
    if (!file) return refuse("rules file", path);
    char text[128];
    while (std::fgets(text, sizeof text, file)) {
        text[std::strcspn(text, "\n")] = 0;
        if (!*text || add_rule(text)) continue;
        refuse("rule", text);
        break;
    }
    std::fclose(file);
}

void read_style(const char* name) {
    for (const style& row : styles)
        if (std::strcmp(row.name, name) == 0) {
            of_process.chosen = &row;
            return;
        }
    refuse("style", name);
}

const char* variable(const char* name) {
    const char* value = std::getenv(name);
    return value && *value ? value : nullptr;
}

__attribute__((constructor)) void read_environment() {
    if (is_read) return;
    is_read = true;
    of_process.open.changes = read_changes();
    if (const char* folder = variable("WATARI_ATTACH_LOG")) of_process.folder = strdup(folder);
    of_process.is_timed_only = variable("WATARI_ATTACH_CLOCK") != nullptr;
    if (const char* path = variable("WATARI_ATTACH_RULES")) read_rules(path);
    if (const char* name = variable("WATARI_ATTACH_STYLE")) read_style(name);
}

bool matches(const rule& asked, std::uint32_t site, std::uint32_t ordinal, std::size_t bytes) {
    if (asked.least_bytes) return bytes >= asked.least_bytes;
    return asked.site == site && (asked.ordinal == any_ordinal || asked.ordinal == ordinal);
}

// Whether the rules select an allocation or a copy.
bool is_selected(std::uint32_t site, std::uint32_t ordinal, std::size_t bytes, bool is_copy) {
    read_environment();
    bool names_sites = false, is_named = false;
    for (std::size_t i = 0; i < of_process.count; ++i) {
        const rule& asked = of_process.rules[i];
        if (!asked.least_bytes && asked.is_of_copies != is_copy) continue;
        const bool fits = matches(asked, site, ordinal, bytes);
        if (asked.keeps && fits) return false;
        if (asked.keeps) continue;
        if (asked.least_bytes && !fits) return false;
        if (!asked.least_bytes) {
            names_sites = true;
            is_named = is_named || fits;
        }
    }
    return !names_sites || is_named;
}

// Whether a rule names a call site of copies, or of allocations.
bool has_rule_of_sites(bool of_copies) {
    read_environment();
    for (std::size_t i = 0; i < of_process.count; ++i) {
        const rule& one = of_process.rules[i];
        if (!one.least_bytes && one.is_of_copies == of_copies) return true;
    }
    return false;
}

}  // namespace

const process_settings& settings() {
    read_environment();
    return of_process.open;
}

const style& chosen_style() {
    read_environment();
    return *of_process.chosen;
}

const char* log_folder() {
    read_environment();
    return of_process.folder;
}

const char* memory_log_folder() {
    read_environment();
    return of_process.is_timed_only ? nullptr : of_process.folder;
}

bool is_chosen(std::uint32_t site, std::uint32_t ordinal, std::size_t bytes) {
    return is_selected(site, ordinal, bytes, false);
}

bool is_copy_chosen(std::uint32_t site, std::size_t bytes) {
    return is_selected(site, any_ordinal, bytes, true);
}

bool names_copies() { return has_rule_of_sites(true); }

bool names_allocations() { return memory_log_folder() || has_rule_of_sites(false); }

}  // namespace attach
