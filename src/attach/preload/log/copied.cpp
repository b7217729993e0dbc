#include "copied.hpp"

#include "../styles/settings.hpp"
#include "event_log.hpp"
#include "lock.hpp"
#include "site.hpp"

namespace attach {
namespace {

struct total {
    std::uint32_t site;
    bool is_to_gpu, is_used;
    std::uint64_t times, bytes, largest, nanoseconds, large_bytes, large_nanoseconds;
};

constexpr std::size_t most = 4096;         // sites; later ones share the last row
constexpr std::size_t large = 4ull << 20;  // bytes: copies that staging can make faster
total totals[most];

total& row_of(std::uint32_t site, bool is_to_gpu) {
    for (std::size_t i = 0; i < most; ++i) {
        total& row = totals[(site + i) % most];
        if (!row.is_used) {
            row = {};
            row.site = site;
            row.is_to_gpu = is_to_gpu;
            row.is_used = true;
            return row;
        }
        if (row.site == site && row.is_to_gpu == is_to_gpu) return row;
    }
    return totals[most - 1];
}

void write(const total& row) {
    event("copies", now())
        .hash("site", row.site)
        .text("to", row.is_to_gpu ? "gpu" : "cpu")
        .number("times", static_cast<long long>(row.times))
        .number("bytes", static_cast<long long>(row.bytes))
        .number("largest", static_cast<long long>(row.largest))
        .seconds("s", row.nanoseconds)
        .number("large_bytes", static_cast<long long>(row.large_bytes))
        .seconds("large_s", row.large_nanoseconds)
        .write();
}

}  // namespace

copy_name name_copy(std::size_t bytes) {
    const bool is_needed = memory_log_folder() || names_copies();
    const std::uint32_t site = is_needed ? name_allocation().site : 0;
    return {site, is_copy_chosen(site, bytes)};
}

void record_copy(const copy_name& name, bool is_to_gpu, std::size_t bytes,
                 std::uint64_t nanoseconds) {
    if (!memory_log_folder()) return;
    const guard hold;
    total& row = row_of(name.site, is_to_gpu);
    ++row.times;
    row.bytes += bytes;
    row.nanoseconds += nanoseconds;
    if (bytes > row.largest) row.largest = bytes;
    if (bytes >= large) {
        row.large_bytes += bytes;
        row.large_nanoseconds += nanoseconds;
    }
    if ((row.times & (row.times - 1)) == 0) write(row);
}

void record_copies() {
    for (const total& row : totals)
        if (row.is_used) write(row);
}

void forget_copies() {
    for (total& row : totals) row.is_used = false;
}

}  // namespace attach
