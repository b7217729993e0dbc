/// What a command over files says of their errors.
#pragma once

#include "watari/storage/nvme/nvme.hpp"

namespace watari::storage {

/// What a command says whose read or write failed with this errno.
status status_of_errno(int error, opcode operation);

/// Of a command for which a file has no more bytes.
constexpr status ends_here(opcode operation) {
    return operation == opcode::write ? write_fault : unrecovered_read;
}

}  // namespace watari::storage
