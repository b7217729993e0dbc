#include "watari/gemm/journal.hpp"

#include "watari/core/error.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

namespace watari::gemm {

namespace {

constexpr int version = 1;

/// A value as a line has it.
std::string in_a_line(const std::string& value) {
    std::string line;
    for (const char c : value) line += c == '\\' ? "\\\\" : c == '\n' ? "\\n" : std::string(1, c);
    return line;
}

std::string out_of_a_line(const std::string& line) {
    std::string value;
    for (std::size_t i = 0; i < line.size(); ++i)
        if (line[i] != '\\' || ++i == line.size())
            value += line[std::min(i, line.size() - 1)];
        else
            value += line[i] == 'n' ? '\n' : line[i];
    return value;
}

std::string tiles_line(const std::vector<tile_of_c>& tiles) {
    std::string line = "tiles";
    for (const auto& [row, column] : tiles)
        line += " " + std::to_string(row) + " " + std::to_string(column);
    return line + "\n";
}

[[noreturn]] void cannot_write(const std::string& path, int error_number) {
    throw file_error(path + ": cannot be written: " + std::strerror(error_number));
}

/// Numbers up to the end of a line. Throws file_error where there are others.
template <class Number>
std::vector<Number> numbers(std::istringstream& from) {
    std::vector<Number> all{std::istream_iterator<Number>(from), {}};
    if (!from.eof()) throw file_error("no number");
    return all;
}

/// Adds what one line says.
void read_line(const std::string& line, journal::contents& into) {
    std::istringstream words(line);
    std::string what, name;
    words >> what;
    if (what == "product" && words >> name) {
        const std::size_t value = std::strlen("product ") + name.size() + 1;
        into.product.emplace_back(name, out_of_a_line(line.substr(std::min(value, line.size()))));
    } else if (what == "inode") {
        into.inode = numbers<std::uint64_t>(words).at(0);
    } else if (what == "tiles") {
        const std::vector found = numbers<std::size_t>(words);
        if (found.size() % 2 != 0) throw file_error("half a tile");
        for (std::size_t i = 0; i < found.size(); i += 2)
            into.tiles.emplace_back(found[i], found[i + 1]);
    } else if (what == "whole") {
        const std::vector found = numbers<std::int64_t>(words);
        into.whole = {static_cast<std::uint64_t>(found.at(0)), found.at(1)};
    } else {
        throw file_error("what is '" + what + "'?");
    }
}

std::string beginning(const journal::contents& begin) {
    std::string text = "watari-gemm " + std::to_string(version) + "\n";
    text += "inode " + std::to_string(begin.inode) + "\n";
    for (const auto& [name, value] : begin.product)
        text += "product " + name + " " + in_a_line(value) + "\n";
    return begin.tiles.empty() ? text : text + tiles_line(begin.tiles);
}

/// All of it, durable. Throws file_error.
void write_durably(int file, const std::string& path, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t more = write(file, text.data() + done, text.size() - done);
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) cannot_write(path, errno);
        done += static_cast<std::size_t>(more);
    }
    if (fsync(file) != 0) cannot_write(path, errno);
}

/// A file with the beginning of a journal, which takes the place of an older one at once.
storage::descriptor made(const std::string& path, const std::string& text) {
    const std::string unfinished = begun_path(path);
    storage::descriptor file(open(unfinished.c_str(),
                                  O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
                                  0666));
    if (file.get() < 0) cannot_write(path, errno);
    try {
        write_durably(file.get(), path, text);
        if (rename(unfinished.c_str(), path.c_str()) != 0) cannot_write(path, errno);
        sync_names_beside(path);  // before the file changes of which an older one tells
    } catch (const file_error&) {
        unlink(unfinished.c_str());
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
            if (name.ends_with(time_of_change))
                return name.substr(0, name.size() - time_of_change.size()) + " was changed since";
            return name + " was " + was + ", is now " + is;
        }
    return "";
}

std::optional<journal::contents> journal::read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        if (errno == ENOENT) return std::nullopt;
        throw file_error(path + ": cannot be read: " + std::strerror(errno));
    }
    try {
        std::string text{std::istreambuf_iterator<char>(file), {}};
        text.erase(text.rfind('\n') + 1);  // of a line that was being written; npos + 1: all of it
        std::istringstream lines(text);
        std::string line;
        if (!std::getline(lines, line)) return std::nullopt;
        const std::string wanted = "watari-gemm " + std::to_string(version);
        if (line != wanted)
            throw file_error("begins with '" + line.substr(0, 40) + "', this version reads '" +
                             wanted + "'");
        contents found;
        while (std::getline(lines, line)) read_line(line, found);
        std::set<tile_of_c> seen;
        std::erase_if(found.tiles,
                      [&](const tile_of_c& tile) { return !seen.insert(tile).second; });
        return found;
    } catch (const std::exception& wrong) {
        throw file_error(path + ": not a journal: " + wrong.what() + "; " + begin_anew);
    }
}

journal::journal(const std::string& path, const contents& begin)
    : path_(path),
      file_(made(path, beginning(begin))),
      tiles_(begin.tiles),
      known_(tiles_.begin(), tiles_.end()) {}

void journal::add(const std::vector<tile_of_c>& tiles) {
    std::vector<tile_of_c> news;
    for (const tile_of_c& each : tiles)
        if (!known_.count(each)) news.push_back(each);
    if (news.empty()) return;
    store(tiles_line(news));
    tiles_.insert(tiles_.end(), news.begin(), news.end());
    known_.insert(news.begin(), news.end());
}

void journal::finish(const file_state& whole) {
    store("whole " + std::to_string(whole.bytes) + " " + std::to_string(whole.changed) + "\n");
}

void journal::clear() {
    tiles_.clear();
    known_.clear();
}

void journal::store(const std::string& line) { write_durably(file_.get(), path_, line); }

}  // namespace watari::gemm
