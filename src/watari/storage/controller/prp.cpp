#include "watari/storage/controller/prp.hpp"

#include <algorithm>

namespace watari::storage {

namespace {

bool within(std::uint64_t address, std::size_t bytes, std::span<const memory_range> known) {
    return std::ranges::any_of(known, [&](const memory_range& range) {
        const auto first = reinterpret_cast<std::uint64_t>(range.data);
        return address >= first && bytes <= range.bytes && address - first <= range.bytes - bytes;
    });
}

void append(std::vector<memory_range>& ranges, std::uint64_t address, std::size_t bytes) {
    auto* data = reinterpret_cast<std::byte*>(address);
    if (!ranges.empty() && ranges.back().data + ranges.back().bytes == data)
        ranges.back().bytes += bytes;
    else
        ranges.push_back({data, bytes});
}

/// Reads the pages of a PRP list. If the list fills its page and more pages follow, its last entry
/// points to the next list.
status read_list(std::uint64_t list, std::size_t bytes, std::span<const memory_range> known,
                 std::vector<memory_range>& ranges) {
    if (list % 8 != 0) return invalid_prp_offset;
    while (bytes > 0) {
        if (!within(list, 8, known)) return data_transfer_error;
        const std::uint64_t page = *reinterpret_cast<const std::uint64_t*>(list);
        if (page % prp_page != 0) return invalid_prp_offset;
        const bool last_of_list = (list + 8) % prp_page == 0;
        if (last_of_list && bytes > prp_page) {
            list = page;
            continue;
        }
        const std::size_t part = std::min(bytes, prp_page);
        if (!within(page, part, known)) return data_transfer_error;
        append(ranges, page, part);
        bytes -= part;
        list += 8;
    }
    return success;
}

}  // namespace

status read_prps(const submission_entry& command, std::size_t bytes,
                 std::span<const memory_range> known, std::vector<memory_range>& ranges) {
    ranges.clear();
    if (command.prp1 % 4 != 0) return invalid_prp_offset;
    const std::size_t first = std::min(bytes, prp_page - command.prp1 % prp_page);
    if (!within(command.prp1, first, known)) return data_transfer_error;
    append(ranges, command.prp1, first);
    bytes -= first;
    if (bytes > prp_page) return read_list(command.prp2, bytes, known, ranges);
    if (bytes == 0) return success;
    if (command.prp2 % prp_page != 0) return invalid_prp_offset;
    if (!within(command.prp2, bytes, known)) return data_transfer_error;
    append(ranges, command.prp2, bytes);
    return success;
}

}  // namespace watari::storage
