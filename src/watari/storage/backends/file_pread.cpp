// The channel of file.hpp without io_uring: each command is served while it is submitted.
#include "watari/storage/backends/file.hpp"

#include <sys/uio.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace watari::storage {

namespace {

class pread_channel final : public io_channel {
public:
    pread_channel(const files::striped_files& files, bool writable, error_log& errors)
        : files_(files), writable_(writable), errors_(errors) {}

    bool submit(const request& command) override {
        ended_.push_back({command.queue, command.cid, serve(command)});
        return true;
    }

    void reap(std::vector<ending>& ended) override {
        ended.insert(ended.end(), ended_.begin(), ended_.end());
        ended_.clear();
    }

    std::size_t under_way() const override { return ended_.size(); }

private:
    status serve(const request& command) {
        if (command.operation == opcode::flush) {
            for (std::size_t f = 0; f < files_.count(); ++f)
                if (fdatasync(files_.descriptor_of(f)) != 0)
                    return failed(errors_, files_, opcode::flush, 0, {f, 0, 0}, -errno);
            return success;
        }
        if (command.operation == opcode::write && !writable_) return write_protected;
        std::uint64_t offset = command.offset;
        for (const memory_range& range : command.ranges)
            for (std::size_t at = 0; at < range.bytes;) {
                const auto piece = files_.piece_at(offset, range.bytes - at);
                const ssize_t moved = move(command, piece, range.data + at);
                if (moved < 0 && errno == EINTR) continue;
                if (moved < 0)
                    return failed(errors_, files_, command.operation, command.offset, piece,
                                  -errno);
                const auto done = static_cast<std::size_t>(moved);
                if (done < piece.bytes && files_.is_padding(piece.file, piece.offset + done)) {
                    std::memset(range.data + at + done, 0, piece.bytes - done);
                    at += piece.bytes;
                    offset += piece.bytes;
                    continue;
                }
                if (files_.ends(done))
                    return failed(errors_, files_, command.operation, command.offset, piece, moved);
                at += static_cast<std::size_t>(moved);
                offset += static_cast<std::uint64_t>(moved);
            }
        return success;
    }

    ssize_t move(const request& command, const files::striped_files::piece& piece,
                 std::byte* data) const {
        const int file = files_.descriptor_of(piece.file);
        const auto offset = static_cast<off_t>(piece.offset);
        if (command.operation == opcode::read) return pread(file, data, piece.bytes, offset);
        const iovec range{data, piece.bytes};
        return pwritev2(file, &range, 1, offset, command.fua ? RWF_DSYNC : 0);
    }

    const files::striped_files& files_;
    bool writable_;
    error_log& errors_;
    std::vector<ending> ended_;
};

}  // namespace

std::unique_ptr<io_channel> open_pread_channel(const files::striped_files& files, bool writable,
                                               error_log& errors) {
    return std::make_unique<pread_channel>(files, writable, errors);
}

}  // namespace watari::storage
