#include "event_log.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "../styles/settings.hpp"
#include "copied.hpp"
#include "gains.hpp"
#include "lock.hpp"

namespace attach {
namespace {

constexpr std::size_t block = 256 * 1024;  // a multiple of every page size
constexpr std::size_t last_words = 64;     // bytes at the end of a block for the event `cut`

struct log_file {
    char path[1024] = "";
    char* window = nullptr;  // the block that is written now
    std::size_t begin = 0;   // offset of the window in the file
    std::size_t used = 0;    // bytes of the window
    long long events = 0;    // lines so far
    bool refused = false;    // no folder, no space, or after the end: nothing more is recorded
};
log_file file;

// Reserves the space of a block on the disk, so that writes to the mapping cannot fail. Beyond the
// limit of this process (ulimit -f) the kernel would end the process.
bool reserve(int descriptor, off_t begin) {
    rlimit limit{};
    const bool is_limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    int error = EINTR;
    if (is_limited && static_cast<rlim_t>(begin) + block > limit.rlim_cur) error = EFBIG;
    while (error == EINTR) error = posix_fallocate(descriptor, begin, block);
    errno = error;
    return error == 0;
}

// Maps the next block. No descriptor is kept: a program that closes unknown descriptors could give
// its number to another file.
bool map_block(std::size_t begin, int flags) {
    const int descriptor = open(file.path, O_RDWR | O_CLOEXEC | flags, 0600);
    if (descriptor < 0) return false;
    const auto from = static_cast<off_t>(begin);
    void* window = MAP_FAILED;
    if (reserve(descriptor, from))
        window = mmap(nullptr, block, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, from);
    const int error = errno;
    close(descriptor);
    errno = error;
    if (window == MAP_FAILED) return false;
    if (file.window) munmap(file.window, block);
    file.window = static_cast<char*>(window);
    file.begin = begin;
    file.used = 0;
    return true;
}

// Fills the rest of a block with empty lines and maps the next block; if that fails, writes `cut`.
bool next_block() {
    char* rest = file.window + file.used;
    std::memset(rest, '\n', block - file.used);
    if (map_block(file.begin + block, 0)) return true;
    std::snprintf(rest, last_words, "{\"op\":\"cut\",\"errno\":%d}\n", errno);
    return false;
}

bool append(const char* data, std::size_t size) {
    if (file.used + size + last_words > block && !next_block()) return false;
    std::memcpy(file.window + file.used, data, size);
    file.used += size;
    return true;
}

bool open_file() {
    const char* folder = log_folder();
    if (!folder) return false;
    bool opened = false;
    for (int count = 0; count < 1000 && !opened; ++count) {
        std::snprintf(file.path, sizeof file.path, "%s/%d.%d.jsonl", folder,
                      static_cast<int>(getpid()), count);
        errno = 0;
        opened = map_block(0, O_CREAT | O_EXCL);
        if (!opened && errno != EEXIST) return false;
    }
    return opened;
}

void write_start() {
    char program[4096];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    event("start", now())
        .number("pid", getpid())
        .number("parent", getppid())
        .text("style", chosen_style().name)
        .text("program", program)
        .write();
}

__attribute__((destructor)) void end_log() {
    const guard hold;
    if (!file.window || file.refused) return;
    record_copies();
    record_gains();
    event("end", now()).number("events", file.events).write();
    [[maybe_unused]] const int cut =
        truncate(file.path, static_cast<off_t>(file.begin + file.used));
    file.refused = true;  // later releases by other libraries would lie beyond the end
}

}  // namespace

std::uint64_t now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u +
           static_cast<std::uint64_t>(time.tv_nsec);
}

event::event(const char* op, std::uint64_t time) : event(op) {
    number("t", static_cast<long long>(time));
}

event::event(const char* op) { raw("{\"op\":\"").raw(op).raw("\""); }

void event::put(char character) {
    if (size + 3 < sizeof line) line[size++] = character;  // room for the end of the line
}

event& event::raw(const char* characters) {
    while (*characters) put(*characters++);
    return *this;
}

event& event::raw(long long value) {
    if (value < 0) put('-');
    digits(static_cast<unsigned long long>(value < 0 ? -value : value), 10, 1);
    return *this;
}

event& event::escaped(const char* characters) {
    put('"');
    for (; *characters; ++characters) {
        const auto byte = static_cast<unsigned char>(*characters);
        if (byte == '"' || byte == '\\') put('\\');
        if (byte < 0x20) {
            raw("\\u00");
            digits(byte, 16, 2);
        } else {
            put(*characters);
        }
    }
    put('"');
    return *this;
}

void event::key(const char* name) { raw(",\"").raw(name).raw("\":"); }

void event::digits(unsigned long long value, unsigned base, int width) {
    char reversed[24];
    int count = 0;
    for (; value || count < width; value /= base)
        reversed[count++] = "0123456789abcdef"[value % base];
    while (count > 0) put(reversed[--count]);
}

event& event::text(const char* name, const char* value) {
    key(name);
    return escaped(value);
}

event& event::number(const char* name, long long value) {
    key(name);
    return raw(value);
}

event& event::pointer(const char* name, unsigned long long value) {
    key(name);
    raw("\"0x");
    digits(value, 16, 1);
    return raw("\"");
}

event& event::hash(const char* name, std::uint32_t value) {
    key(name);
    raw("\"");
    digits(value, 16, 8);
    return raw("\"");
}

event& event::seconds(const char* name, std::uint64_t nanoseconds) {
    key(name);
    digits(nanoseconds / 1000000000u, 10, 1);
    put('.');
    digits(nanoseconds % 1000000000u, 10, 9);
    return *this;
}

void event::write() {
    if (file.refused) return;
    if (!file.window) {
        if (!open_file()) {
            file.refused = true;
            if (log_folder())
                dprintf(2, "watari: %s: the event log cannot be written: %s\n", file.path,
                        std::strerror(errno));
            return;
        }
        write_start();
    }
    line[size++] = '}';
    line[size++] = '\n';
    if (append(line, size))
        ++file.events;
    else
        file.refused = true;
}

void forget_log() {
    if (file.window) munmap(file.window, block);
    file = {};
}

}  // namespace attach
