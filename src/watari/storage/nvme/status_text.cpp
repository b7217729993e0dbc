#include "watari/storage/nvme/status_text.hpp"

#include <array>
#include <cstdio>
#include <string_view>

namespace watari::storage {

namespace {

struct named_status {
    status what;
    std::string_view name;
};

/// NVMe base specification 1.4, figures 127 to 131.
constexpr named_status names[] = {
    {success, "success"},
    {invalid_opcode, "invalid command opcode"},
    {invalid_field, "invalid field in command"},
    {command_id_conflict, "command identifier conflict"},
    {data_transfer_error, "data transfer error"},
    {internal_error, "internal error"},
    {abort_requested, "command abort requested"},
    {invalid_namespace, "invalid namespace"},
    {invalid_sgl_length, "invalid SGL data length"},
    {invalid_sgl_type, "invalid SGL descriptor type"},
    {invalid_prp_offset, "invalid PRP offset"},
    {write_protected, "namespace is write protected"},
    {lba_out_of_range, "block address out of range"},
    {capacity_exceeded, "capacity exceeded"},
    {write_fault, "write fault"},
    {unrecovered_read, "unrecovered read error"},
    {timed_out, "no completion within the limit"},
    {still_copying, "no completion within the limit, and its data may still come"},
};

}  // namespace

std::string text(const status& outcome) {
    std::string_view name = "error";
    for (const named_status& each : names)
        if (outcome.is(each.what)) name = each.name;
    std::array<char, 48> number{};
    std::snprintf(number.data(), number.size(), " (status type %u, code %02xh)",
                  unsigned{outcome.sct}, unsigned{outcome.sc});
    return std::string(name) + number.data();
}

}  // namespace watari::storage
