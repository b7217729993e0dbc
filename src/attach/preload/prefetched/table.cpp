#include "table.hpp"

#include <cstdlib>
#include <cstring>

namespace attach::prefetched {
namespace {

// Reads eight hexadecimal digits; false for other characters.
bool read_hash(const char*& text, std::uint32_t& hash) {
    hash = 0;
    for (int i = 0; i < 8; ++i, ++text) {
        constexpr char digits[] = "0123456789abcdef";
        const char* digit = *text ? std::strchr(digits, *text) : nullptr;
        if (!digit) return false;
        hash = hash << 4 | static_cast<std::uint32_t>(digit - digits);
    }
    return true;
}

int compare(const void* a, const void* b) {
    const auto &one = *static_cast<const use*>(a), &other = *static_cast<const use*>(b);
    return one.kernel < other.kernel ? -1 : one.kernel > other.kernel;
}

}  // namespace

std::size_t read_table(const char* text, use*& rows) {
    const std::size_t most = text ? std::strlen(text) / 17 + 1 : 0;
    rows = most ? static_cast<use*>(std::malloc(most * sizeof(use))) : nullptr;
    if (!rows) return 0;
    std::size_t count = 0;
    while (*text) {
        use& row = rows[count];
        if (!read_hash(text, row.kernel) || *text++ != ':' || !read_hash(text, row.site)) return 0;
        ++count;
        if (*text && *text++ != ',') return 0;
    }
    std::qsort(rows, count, sizeof(use), compare);
    return count;
}

std::size_t find_kernel(const use* rows, std::size_t count, std::uint32_t kernel) {
    std::size_t low = 0, high = count;
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (rows[middle].kernel < kernel)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && rows[low].kernel == kernel ? low : count;
}

}  // namespace attach::prefetched
