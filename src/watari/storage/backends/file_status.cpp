#include "watari/storage/backends/file_status.hpp"

#include <cerrno>

namespace watari::storage {

status status_of_errno(int error, opcode operation) {
    switch (error) {
        case EINVAL:
            return invalid_field;
        case ENOSPC:
        case EDQUOT:
        case EFBIG:
            return capacity_exceeded;
        case EBADF:
        case EPERM:
        case EACCES:
        case EROFS:
            return operation == opcode::write ? write_protected : internal_error;
        case EIO:
            if (operation == opcode::read) return unrecovered_read;
            return write_fault;
        default:
            return internal_error;
    }
}

}  // namespace watari::storage
