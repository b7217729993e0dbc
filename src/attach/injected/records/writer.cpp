#include "writer.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <unordered_set>

namespace watari::attach::writer {
namespace {

int records = -1;
int calls = -1;
int notes = -1;
std::uint64_t written = 0;  // records

// Never destroyed: CUPTI's threads write until the process has ended.
std::mutex& guard() {
    static auto* lock = new std::mutex;
    return *lock;
}

std::unordered_set<std::uint64_t>& known() {
    static auto* texts = new std::unordered_set<std::uint64_t>;
    return *texts;
}

void close_all() { records = calls = notes = -1; }

void forget_in_child() {
    close_all();  // the files of the parent
}

int create(const char* folder, const char* stem, const char* suffix) {
    const auto path =
        std::string(folder) + "/" + stem + "-" + std::to_string(getpid()) + "." + suffix;
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) {
        std::fprintf(stderr, "watari: %s: cannot be written: %s\n", path.c_str(),
                     std::strerror(errno));
        return file;
    }
    // a high number, since programs may expect small ones, or close them and open their own
    const int high = fcntl(file, F_DUPFD_CLOEXEC, 500);
    if (high >= 0) {
        ::close(file);
    }
    return high >= 0 ? high : file;
}

// Whether a write exceeds the limit of this process (ulimit -f): the kernel would end the process.
bool is_too_large(int file, std::size_t size) {
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
           static_cast<rlim_t>(lseek(file, 0, SEEK_END)) + size > limit.rlim_cur;
}

// A full disk ends the trace, not the program: without its end record it counts as incomplete.
void put(int file, const void* data, std::size_t size) {
    if (is_too_large(file, size)) {
        close_all();
        return;
    }
    for (auto* at = static_cast<const char*>(data); size > 0;) {
        const auto written = ::write(file, at, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            close_all();
            return;
        }
        at += written;
        size -= static_cast<std::size_t>(written);
    }
}

std::uint64_t hash(std::string_view text) {  // FNV-1a
    std::uint64_t value = 14695981039346656037u;
    for (const unsigned char c : text) {
        value = (value ^ c) * 1099511628211u;
    }
    return value;
}

void put_note(std::string_view word, std::uint64_t identifier, std::string_view text) {
    auto line = std::string(word) + " " + std::to_string(identifier) + " " + std::string(text);
    std::replace(line.begin(), line.end(), '\n', ' ');
    line += '\n';
    put(notes, line.data(), line.size());
}

}  // namespace

bool open(const char* folder) {
    records = create(folder, "records", "bin");
    calls = create(folder, "calls", "bin");
    notes = create(folder, "notes", "txt");
    pthread_atfork(nullptr, nullptr, forget_in_child);
    return is_open();
}

bool is_open() { return records >= 0 && calls >= 0 && notes >= 0; }

void write(const record* first, std::size_t count) {
    const std::lock_guard lock(guard());
    if (is_open()) {
        put(records, first, count * sizeof(record));
        written += count;
    }
}

void write(const record& one) { write(&one, 1); }

std::uint64_t count() {
    const std::lock_guard lock(guard());
    return written;
}

void write(const call_record* first, std::size_t count) {
    const std::lock_guard lock(guard());
    if (is_open()) {
        put(calls, first, count * sizeof(call_record));
    }
}

void note(std::string_view word, std::uint64_t identifier, std::string_view text) {
    const std::lock_guard lock(guard());
    if (is_open()) {
        put_note(word, identifier, text);
    }
}

std::uint64_t intern(std::string_view word, std::string_view text) {
    const auto identifier = hash(text);
    note_once(word, identifier, text);
    return identifier;
}

void note_once(std::string_view word, std::uint64_t identifier, std::string_view text) {
    const std::lock_guard lock(guard());
    if (is_open() && known().insert(identifier).second) {
        put_note(word, identifier, text);
    }
}

std::uint64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace watari::attach::writer
