#include "watari/objects/service/profile.hpp"

#include "watari/core/error.hpp"
#include "watari/core/text_file.hpp"

#include <cstdlib>

namespace watari::objects {

namespace {

std::string_view stripped(std::string_view text) {
    constexpr const char* blanks = " \t\r";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == text.npos) return "";
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string file_of(const char* named_by, const char* usual) {
    const std::string named = variable(named_by);
    return named.empty() ? variable("HOME") + "/.aws/" + usual : named;
}

}  // namespace

std::string value_of(const profile& values, const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? "" : found->second;
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::optional<profile> section_of(const std::string& path, std::string_view section) {
    const std::optional<std::string> text = text_of(path);
    if (!text) return std::nullopt;
    std::optional<profile> found;
    bool inside = false;
    for (std::string_view left = *text; !left.empty();) {
        const std::string_view whole = take_until(left, '\n'), line = stripped(whole);
        if (line.empty() || line[0] == '#' || line[0] == ';') continue;
        if (line[0] == '[') {
            inside = stripped(line.substr(1, line.find(']') - 1)) == section;
            if (inside && !found) found.emplace();
            continue;
        }
        const std::size_t equals = line.find('=');
        if (!inside || equals == line.npos || whole[0] == ' ' || whole[0] == '\t') continue;
        (*found)[std::string(stripped(line.substr(0, equals)))] = stripped(line.substr(equals + 1));
    }
    return found;
}

std::string profile_name() {
    const std::string named = variable("AWS_PROFILE");
    return named.empty() ? "default" : named;
}

profile chosen_profile() {
    const std::string name = profile_name();
    const std::string keys = file_of("AWS_SHARED_CREDENTIALS_FILE", "credentials");
    const std::string others = file_of("AWS_CONFIG_FILE", "config");
    std::optional<profile> first = section_of(keys, name);
    std::optional<profile> second = section_of(others, "profile " + name);
    if (!second && name == "default") second = section_of(others, name);
    if (!first && !second && !variable("AWS_PROFILE").empty())
        throw usage_error("AWS_PROFILE=" + name + ": neither " + keys + " nor " + others +
                          " has this profile");
    profile result = first.value_or(profile());
    if (second) result.merge(*second);
    return result;
}

}  // namespace watari::objects
