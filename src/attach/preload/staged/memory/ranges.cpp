// Linux 6.11 answers for one address (PROCMAP_QUERY), in microseconds. Before it, the table of all
// mappings is read: 50 us in a small program, milliseconds in one with thousands of mappings, so
// that only large copies are worth it.
#include "ranges.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>

#include "../plan.hpp"

namespace attach::staged {
namespace {

constexpr std::size_t least_for_table = 32 * unit;

// struct procmap_query of <linux/fs.h>, which older systems lack.
struct query {
    std::uint64_t size, flags, address;
    std::uint64_t begin, end, kind, page_size, offset, inode;
    std::uint32_t major, minor, name_size, build_id_size;
    std::uint64_t name, build_id;
};
constexpr std::uint64_t readable = 1, writable = 2, shared = 8;
const unsigned long query_number = _IOWR('f', 17, query);

enum class answer { yes, no, unknown };

// A mapping, as both ways report it.
struct mapping {
    std::uintptr_t begin, end;
    bool reads, writes, is_anonymous;
};

answer judge(const mapping& one, bool is_written) {
    const bool fits = one.is_anonymous && one.reads && (!is_written || one.writes);
    return fits ? answer::yes : answer::no;
}

answer by_query(int maps, std::uintptr_t begin, std::uintptr_t end, bool is_written) {
    while (begin < end) {
        query asked{};
        asked.size = sizeof asked;
        asked.address = begin;
        if (ioctl(maps, query_number, &asked) != 0)
            return errno == ENOENT ? answer::no : answer::unknown;
        const mapping found{asked.begin, asked.end, (asked.kind & readable) != 0,
                            (asked.kind & writable) != 0,
                            asked.inode == 0 && (asked.kind & shared) == 0};
        if (judge(found, is_written) == answer::no) return answer::no;
        begin = asked.end;
    }
    return answer::yes;
}

bool parse(const char* line, mapping& parsed) {
    unsigned long begin, end, inode;
    char flags[5];
    if (std::sscanf(line, "%lx-%lx %4s %*x %*x:%*x %lu", &begin, &end, flags, &inode) != 4)
        return false;
    parsed = {begin, end, flags[0] == 'r', flags[1] == 'w', inode == 0 && flags[3] == 'p'};
    return true;
}

// The lines are in the order of their addresses.
answer by_table(std::FILE* maps, std::uintptr_t begin, std::uintptr_t end, bool is_written) {
    char line[512];
    mapping one;
    bool continues = false;  // the rest of a long line
    while (begin < end && std::fgets(line, sizeof line, maps)) {
        const bool is_first = !continues;
        std::size_t length = 0;
        while (line[length]) ++length;
        continues = length > 0 && line[length - 1] != '\n';
        if (!is_first || !parse(line, one) || one.end <= begin) continue;
        if (one.begin > begin || judge(one, is_written) == answer::no) return answer::no;
        begin = one.end;
    }
    return begin < end ? answer::no : answer::yes;
}

}  // namespace

bool is_anonymous(const void* address, std::size_t bytes, bool is_written) {
    if (are_pages_watched()) return false;
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (maps < 0) return false;
    answer known = by_query(maps, begin, begin + bytes, is_written);
    if (known != answer::unknown || bytes < least_for_table) {
        close(maps);
        return known == answer::yes;
    }
    std::FILE* file = fdopen(maps, "r");
    if (!file) {
        close(maps);
        return false;
    }
    known = by_table(file, begin, begin + bytes, is_written);
    std::fclose(file);
    return known == answer::yes;
}

}  // namespace attach::staged
