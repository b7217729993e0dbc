/// The status of a command over files, by the error of a file.
#pragma once

#include "watari/storage/nvme/nvme.hpp"

namespace watari::storage {

/// Returns the status of a command whose read or write failed with this errno.
status status_of_errno(int error, opcode operation);

/// Returns the status of a command that goes beyond the end of a file.
constexpr status ends_here(opcode operation) {
    return operation == opcode::write ? write_fault : unrecovered_read;
}

}  // namespace watari::storage
