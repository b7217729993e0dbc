#include "watari/gemm/product/journal.hpp"

#include "watari/core/error.hpp"
#include "watari/core/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace watari::gemm {

namespace {

const std::string begins_with = "watari-gemm ";

/// Suffixes of names whose values mean nothing to a reader.
constexpr std::pair<std::string_view, const char*> ending_words[] = {
    {".changed", " was changed since"},
    {".inode", " was replaced since: another file has its name"},
    {".sampled", " was changed since, and its time of change was set back"}};

/// Escapes a value for a line of the journal.
std::string in_a_line(const std::string& value) {
    std::string line;
    for (const char c : value) line += c == '\\' ? "\\\\" : c == '\n' ? "\\n" : std::string(1, c);
    return line;
}

std::string out_of_a_line(std::string_view line) {
    std::string value;
    for (std::size_t i = 0; i < line.size(); ++i)
        if (line[i] != '\\' || ++i == line.size())
            value += line[std::min(i, line.size() - 1)];
        else
            value += line[i] == 'n' ? '\n' : line[i];
    return value;
}

std::string tiles_line(const completed_tiles& tiles) {
    std::string line = "tiles";
    for (const auto& [at, checksum] : tiles) {
        std::array<char, 17> digits{"-"};
        if (checksum) std::snprintf(digits.data(), digits.size(), "%016" PRIx64, *checksum);
        line +=
            " " + std::to_string(at.first) + " " + std::to_string(at.second) + " " + digits.data();
    }
    return line + "\n";
}

[[noreturn]] void cannot_write(const std::string& path, int error_number) {
    throw file_error(path + ": cannot be written: " + std::strerror(error_number));
}

/// The words of a line, one after another.
class words {
public:
    explicit words(std::string_view line) : left_(line) {}

    bool at_end() const { return left_.empty(); }
    std::string_view next() { return take_until(left_, ' '); }
    template <class Number>
    Number number(int base = 10) {
        const std::string_view word = next();
        const char* const end = word.data() + word.size();
        Number value{};
        const auto [stop, problem] = std::from_chars(word.data(), end, value, base);
        if (problem != std::errc() || stop != end)
            throw file_error("'" + std::string(word.substr(0, 40)) + "' is not a number");
        return value;
    }
    std::string_view rest() const { return left_; }

private:
    std::string_view left_;
};

/// Reads a tile. If several lines name it, the last one has its checksum.
void read_tile(words& from, journal::contents& into) {
    const auto row = from.number<std::size_t>();
    if (from.at_end()) throw file_error("a line of tiles is incomplete");
    auto& checksum = into.tiles[{row, from.number<std::size_t>()}];
    checksum.reset();
    if (into.version == 1) return;
    if (from.at_end()) throw file_error("a line of tiles is incomplete");
    if (from.rest() == "-" || from.rest().starts_with("- "))
        from.next();
    else
        checksum = from.number<std::uint64_t>(16);
}

/// Adds the contents of one line.
void read_line(std::string_view line, journal::contents& into) {
    words from(line);
    const std::string_view word = from.next();
    if (word == "product") {
        const std::string name(from.next());
        into.product.emplace_back(name, out_of_a_line(from.rest()));
    } else if (word == "inode") {
        into.inode = from.number<std::uint64_t>();
    } else if (word == "tiles") {
        while (!from.at_end()) read_tile(from, into);
    } else if (word == "whole") {
        const auto bytes = from.number<std::uint64_t>();
        into.whole = {bytes, from.number<std::int64_t>()};
    } else {
        throw file_error("unknown line '" + std::string(word.substr(0, 40)) + "'");
    }
}

journal::contents parse(std::string_view text) {
    journal::contents result;
    const std::string head(take_until(text, '\n'));
    const std::string newest = begins_with + std::to_string(result.version);
    if (head == begins_with + "1")
        result.version = 1;
    else if (head != newest)
        throw file_error("begins with '" + head.substr(0, 40) + "', this version reads '" + newest +
                         "'");
    while (!text.empty()) read_line(take_until(text, '\n'), result);
    return result;
}

std::string beginning(const journal::contents& begin) {
    std::string text = begins_with + std::to_string(journal::contents{}.version) + "\n";
    text += "inode " + std::to_string(begin.inode) + "\n";
    for (const auto& [name, value] : begin.product)
        text += "product " + name + " " + in_a_line(value) + "\n";
    return begin.tiles.empty() ? text : text + tiles_line(begin.tiles);
}

/// Writes the text and makes it durable. Throws file_error.
void write_durably(int file, const std::string& path, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t more = write(file, text.data() + done, text.size() - done);
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) cannot_write(path, errno);
        done += static_cast<std::size_t>(more);
    }
    if (fsync(file) != 0) cannot_write(path, errno);
}

/// Whether a file is the beginning of a journal that a killed run of this user left.
bool is_stale(const std::string& path) {
    const files::descriptor file(
        open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (file.get() < 0 || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_uid != geteuid())
        return false;
    return files::bytes_of(file.get(), 0, begins_with.size()) ==
           begins_with.substr(0, static_cast<std::size_t>(status.st_size));
}

/// Makes a file with the beginning of a journal, which replaces an older journal atomically.
files::descriptor made(const std::string& path, const std::string& text) {
    const std::string begun = begun_path(path);
    if (files::is_there(begun) && is_stale(begun)) unlink(begun.c_str());
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
    files::descriptor file(open(begun.c_str(), flags, 0666));
    if (file.get() < 0 && errno == EEXIST)
        throw file_error(begun + " is there and is not the beginning of a journal: move it away");
    if (file.get() < 0) cannot_write(path, errno);
    try {
        write_durably(file.get(), path, text);
        if (rename(begun.c_str(), path.c_str()) != 0) cannot_write(path, errno);
        files::sync_names_beside(path);  // before a file changes that an older journal describes
    } catch (const file_error&) {
        files::remove_own(begun, file.get());
        throw;
    }
    return file;
}

}  // namespace

std::string begun_path(const std::string& journal) { return journal + ".new"; }

std::string difference(const identity& before, const identity& now) {
    const auto value_in = [](const identity& all, const std::string& name) {
        for (const auto& [known, value] : all)
            if (known == name) return value;
        return std::string("not there");
    };
    for (const identity* each : {&before, &now})
        for (const auto& [name, value] : *each) {
            const std::string was = value_in(before, name), is = value_in(now, name);
            if (was == is) continue;
            for (const auto& [ending, text] : ending_words)
                if (name.ends_with(ending))
                    return name.substr(0, name.size() - ending.size()) + text;
            return name + " was " + was + ", is now " + is;
        }
    return "";
}

std::optional<journal::contents> journal::read(const std::string& path) {
    const files::descriptor file(
        open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.get() < 0 && errno == ENOENT) return std::nullopt;
    if (file.get() < 0) throw file_error(path + ": cannot be read: " + std::strerror(errno));
    try {
        std::string text = files::bytes_of(file.get(), 0, files::file_state::of(file.get()).bytes);
        text.erase(text.rfind('\n') + 1);  // drops an incomplete last line; npos + 1 is 0: all
        if (text.empty()) return std::nullopt;
        return parse(text);
    } catch (const file_error& wrong) {
        throw file_error(path + ": not a journal: " + wrong.what() + "; " + begin_anew);
    }
}

journal::journal(const std::string& path, const contents& begin)
    : path_(path), file_(made(path, beginning(begin))), tiles_(begin.tiles) {}

void journal::add(const completed_tiles& tiles) {
    if (tiles.empty()) return;
    store(tiles_line(tiles));
    for (const auto& [at, checksum] : tiles) tiles_[at] = checksum;
}

void journal::finish(const files::file_state& whole) {
    store("whole " + std::to_string(whole.bytes) + " " + std::to_string(whole.changed) + "\n");
}

void journal::store(const std::string& line) { write_durably(file_.get(), path_, line); }

}  // namespace watari::gemm
