#include "watari/storage/backends/file.hpp"

#include "watari/storage/backends/file_status.hpp"

#include "watari/files/file_error.hpp"
#include "watari/files/uring/uring.hpp"

#include <cstring>

namespace watari::storage {

namespace {

class file_backend final : public backend {
public:
    file_backend(const files::file_options& options, bool uring) : files_(options) {
        const std::string reason = uring ? files::uring_absent_reason() : "as was asked for";
        uring_ = reason.empty();
        if (!uring_) notice_ = "pread instead of io_uring: " + reason;
    }
    std::uint64_t bytes() const override { return files_.bytes(); }
    std::uint32_t alignment() const override { return files_.alignment(); }
    std::string notice() const override { return notice_; }
    const error_log* errors() const override { return &errors_; }
    std::unique_ptr<io_channel> open_channel(const user_memory& memory) override {
        if (uring_) return open_uring_channel(files_, files_.writable(), memory, notice_, errors_);
        return open_pread_channel(files_, files_.writable(), errors_);
    }

private:
    files::striped_files files_;
    bool uring_;
    std::string notice_;
    error_log errors_;
};

}  // namespace

status failed(error_log& errors, const files::striped_files& files, opcode operation,
              std::uint64_t offset, const files::striped_files::piece& piece, ssize_t result) {
    const int error_number = result < 0 ? static_cast<int>(-result) : 0;
    const std::string& path = files.path(piece.file);
    const files::direction moved =
        operation == opcode::read ? files::direction::read : files::direction::write;
    std::string reason = operation == opcode::flush
                             ? files::sync_text(path, error_number)
                             : files::transfer_text(moved, path, piece.offset, piece.bytes, result);
    if (error_number != 0) reason += std::string(": ") + std::strerror(error_number);
    errors.add(operation, offset, reason);
    return error_number != 0 ? status_of_errno(error_number, operation) : ends_here(operation);
}

std::shared_ptr<backend> make_file(const files::file_options& options, bool uring) {
    return std::make_shared<file_backend>(options, uring);
}

}  // namespace watari::storage
