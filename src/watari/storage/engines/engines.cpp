#include "watari/core/error.hpp"
#include "watari/storage/engines/rows.hpp"

namespace watari::storage {

namespace {

constexpr engine_row table[] = {
    {.name = "posix", .deep = false, .unsupported = posix_unsupported, .make = make_posix},
    {.name = "uring", .deep = true, .unsupported = uring_unsupported, .make = make_uring},
    {.name = "mmap", .deep = false, .unsupported = mmap_unsupported, .make = make_mmap},
    {.name = "cufile", .deep = false, .unsupported = cufile_unsupported, .make = make_cufile},
};

}  // namespace

std::span<const engine_row> engines() { return table; }

const engine_row& engine_named(std::string_view name) {
    for (const engine_row& row : table)
        if (row.name == name) return row;
    throw usage_error("no engine is called '" + std::string(name) + "'");
}

}  // namespace watari::storage
