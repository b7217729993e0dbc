// The channel of file.hpp over io_uring: commands are cut into pieces, one request each.
#include "watari/core/error.hpp"
#include "watari/files/uring/uring.hpp"
#include "watari/storage/backends/file.hpp"

#include <sys/uio.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace watari::storage {

namespace {

/// The most requests in the kernel at once. A command has at most 513 runs of memory and 512
/// stripes.
constexpr std::uint32_t most_pieces = 2048;
/// The kernel registers no larger buffer.
constexpr std::size_t most_registered = std::size_t{1} << 30;

class uring_channel final : public io_channel {
public:
    uring_channel(const files::striped_files& files, bool writable, const user_memory& memory,
                  std::string& notice, error_log& errors)
        : files_(files), writable_(writable), errors_(errors), ring_(most_pieces / 2) {
        ring_.register_files(files.descriptors());
        register_memory(memory, notice);
        pieces_.resize(most_pieces);
        commands_.resize(most_pieces);
        for (std::uint32_t i = most_pieces; i-- > 0;) {
            free_pieces_.push_back(i);
            free_commands_.push_back(i);
        }
    }

    bool submit(const request& command) override {
        if (command.operation == opcode::write && !writable_) {
            now_.push_back({command.queue, command.cid, write_protected});
            return true;
        }
        cut(command);
        if (cut_.size() > free_pieces_.size()) return false;
        const std::uint32_t number = free_commands_.back();
        free_commands_.pop_back();
        commands_[number] = {{command.queue, command.cid, success},
                             command.operation,
                             command.offset,
                             static_cast<std::uint32_t>(cut_.size())};
        for (files::uring_request& request : cut_) {
            const std::uint32_t piece = free_pieces_.back();
            free_pieces_.pop_back();
            request.tag = piece;
            pieces_[piece] = {request, number};
            push(request);
        }
        // at once: a disk that gets many together is idle while they are prepared
        pushed_ -= ring_.submit();
        return true;
    }

    void reap(std::vector<ending>& ended) override {
        if (pushed_ > 0) pushed_ -= ring_.submit();
        std::array<files::uring_completion, 64> done;
        while (const std::size_t count = ring_.reap(done))
            for (std::size_t i = 0; i < count; ++i) finish(done[i]);
        ended.insert(ended.end(), now_.begin(), now_.end());
        now_.clear();
    }

    std::size_t under_way() const override {
        return now_.size() + (most_pieces - free_commands_.size());
    }

private:
    struct piece {
        files::uring_request request;
        std::uint32_t command;
    };
    struct command_state {
        ending ended;
        opcode operation;
        std::uint64_t offset;
        std::uint32_t pieces_left;
    };

    void register_memory(const user_memory& memory, std::string& notice) {
        if (memory.ranges.empty()) return;
        std::vector<iovec> buffers;
        for (const memory_range& range : memory.ranges)
            for (std::size_t at = 0; at < range.bytes; at += most_registered)
                buffers.push_back({range.data + at, std::min(range.bytes - at, most_registered)});
        try {
            ring_.register_buffers(buffers);
            for (const iovec& buffer : buffers)
                registered_.push_back({static_cast<std::byte*>(buffer.iov_base), buffer.iov_len});
        } catch (const unsupported& e) {
            notice = std::string("buffers are not registered: ") + e.what();
        }
    }

    /// Index of the registered buffer that contains all of `data`, or -1.
    int buffer_of(const std::byte* data, std::size_t bytes) const {
        for (std::size_t b = 0; b < registered_.size(); ++b)
            if (data >= registered_[b].data &&
                data + bytes <= registered_[b].data + registered_[b].bytes)
                return static_cast<int>(b);
        return -1;
    }

    /// Splits a command into requests, in cut_.
    void cut(const request& command) {
        cut_.clear();
        if (command.operation == opcode::flush)
            for (std::size_t f = 0; f < files_.count(); ++f)
                cut_.push_back(
                    {.operation = files::uring_operation::sync, .file = static_cast<int>(f)});
        std::uint64_t offset = command.offset;
        for (const memory_range& range : command.ranges)
            for (std::size_t at = 0; at < range.bytes;) {
                const auto part = files_.piece_at(offset, range.bytes - at);
                std::byte* data = range.data + at;
                cut_.push_back({.operation = command.operation == opcode::read
                                                 ? files::uring_operation::read
                                                 : files::uring_operation::write,
                                .file = static_cast<int>(part.file),
                                .buffer = buffer_of(data, part.bytes),
                                .data = data,
                                .bytes = static_cast<std::uint32_t>(part.bytes),
                                .offset = part.offset,
                                .durable = command.fua});
                at += part.bytes;
                offset += part.bytes;
            }
    }

    void push(const files::uring_request& request) {
        while (!ring_.push(request)) pushed_ -= ring_.submit();
        ++pushed_;
    }

    bool is_padding(const files::uring_request& request, std::size_t moved) const {
        return files_.is_padding(static_cast<std::size_t>(request.file), request.offset + moved);
    }

    void finish(const files::uring_completion& done) {
        piece& own = pieces_[done.tag];
        command_state& command = commands_[own.command];
        const auto moved = static_cast<std::uint32_t>(std::max(done.result, 0));
        const bool is_sync = own.request.operation == files::uring_operation::sync;
        const bool again = done.result == -EINTR || done.result == -EAGAIN;
        if (again || (moved < own.request.bytes && done.result > 0 && !files_.ends(moved) &&
                      !is_padding(own.request, moved))) {
            own.request.data = static_cast<std::byte*>(own.request.data) + moved;
            own.request.bytes -= moved;
            own.request.offset += moved;
            push(own.request);
            return;
        }
        if (done.result < 0)
            fail(command, own.request, done.result);
        else if (!is_sync && moved < own.request.bytes) {
            if (is_padding(own.request, moved))
                std::memset(static_cast<std::byte*>(own.request.data) + moved, 0,
                            own.request.bytes - moved);
            else
                fail(command, own.request, done.result);
        }
        free_pieces_.push_back(static_cast<std::uint32_t>(done.tag));
        if (--command.pieces_left > 0) return;
        now_.push_back(command.ended);
        free_commands_.push_back(own.command);
    }

    void fail(command_state& command, const files::uring_request& request, int result) {
        command.ended.outcome =
            failed(errors_, files_, command.operation, command.offset,
                   {static_cast<std::size_t>(request.file), request.offset, request.bytes}, result);
    }

    const files::striped_files& files_;
    bool writable_;
    error_log& errors_;
    files::uring ring_;
    std::vector<memory_range> registered_;
    std::vector<piece> pieces_;
    std::vector<command_state> commands_;
    std::vector<std::uint32_t> free_pieces_, free_commands_;
    std::vector<files::uring_request> cut_;
    std::vector<ending> now_;
    unsigned pushed_ = 0;  ///< requests that the kernel has not taken
};

}  // namespace

std::unique_ptr<io_channel> open_uring_channel(const files::striped_files& files, bool writable,
                                               const user_memory& memory, std::string& notice,
                                               error_log& errors) {
    return std::make_unique<uring_channel>(files, writable, memory, notice, errors);
}

}  // namespace watari::storage
