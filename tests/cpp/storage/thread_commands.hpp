/// Blocks of a namespace, read and written by single threads, for tests of queues, controllers and
/// backends. Each thread has its own command; threads of a warp share one ticket.
#pragma once

#include "watari/storage/nvme/namespace.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace watari::WATARI_BACKEND {

WATARI_KERNEL inline void send_read(const namespace_view& view, std::uint64_t block,
                                    std::uint32_t count, const token& command) {
    send(view, command, make_transfer(storage::opcode::read, command.cid, view.nsid, block, count));
}

/// Begins to read `count` blocks, 1 to max_blocks(), from `block` on.
WATARI_KERNEL inline token begin_read(const namespace_view& view, std::uint64_t block,
                                      std::uint32_t count) {
    token command;
    if (fits(view, count, command) && take(view, command)) send_read(view, block, count, command);
    return command;
}

/// The same, unless every identifier is in use: then `taken` is false and `outcome` timed_out.
WATARI_KERNEL inline token try_begin_read(const namespace_view& view, std::uint64_t block,
                                          std::uint32_t count) {
    token command;
    if (fits(view, count, command) && try_take(view, command))
        send_read(view, block, count, command);
    return command;
}

/// Begins reads of the first `count` blocks until every identifier is in use.
inline std::vector<token> begin_all_reads(const namespace_view& view, std::uint32_t count) {
    std::vector<token> begun;
    for (token t = try_begin_read(view, 0, count); t.taken; t = try_begin_read(view, 0, count))
        begun.push_back(t);
    return begun;
}

WATARI_KERNEL inline void send_write(const namespace_view& view, std::uint64_t block,
                                     std::uint32_t count, const void* source, bool fua,
                                     const token& command) {
    copy_each(group::active(), storage::slot_of(view, command), source, command.bytes);
    send(view, command,
         make_transfer(storage::opcode::write, command.cid, view.nsid, block, count, fua));
}

/// Begins to write `count` blocks, 1 to max_blocks(). `source` may be used again at once. With
/// `fua` the command completes only when the data would survive a loss of power. A write that timed
/// out may still take effect until `settled`, even after a newer write.
WATARI_KERNEL inline token begin_write(const namespace_view& view, std::uint64_t block,
                                       std::uint32_t count, const void* source, bool fua) {
    token command;
    if (fits(view, count, command) && take(view, command))
        send_write(view, block, count, source, fua, command);
    return command;
}

/// Begins to make the data of completed writes durable.
WATARI_KERNEL inline token begin_flush(const namespace_view& view) {
    token command;
    if (take(view, command)) send(view, command, storage::make_flush(command.cid, view.nsid));
    return command;
}

/// Waits for a read; its data are in `destination` if its status is a success.
WATARI_KERNEL inline storage::status end_read(const namespace_view& view, const token& command,
                                              void* destination) {
    const storage::status outcome = wait(view, command);
    copy_each(group::active(), destination, storage::slot_of(view, command),
              outcome.ok() ? command.bytes : 0);
    release_slot(view, command);
    return outcome;
}

/// Waits for a write or a flush.
WATARI_KERNEL inline storage::status end(const namespace_view& view, const token& command) {
    const storage::status outcome = wait(view, command);
    release_slot(view, command);
    return outcome;
}

/// Reads `count` blocks from `block` on; the first error ends it, and `destination` is then
/// undefined from the failed command on.
WATARI_KERNEL inline storage::status read(const namespace_view& view, std::uint64_t block,
                                          std::uint64_t count, void* destination) {
    for (auto* to = static_cast<std::byte*>(destination); count > 0;) {
        const auto part = static_cast<std::uint32_t>(
            count < view.max_blocks() ? count : std::uint64_t{view.max_blocks()});
        const storage::status outcome = end_read(view, begin_read(view, block, part), to);
        if (!outcome.ok()) return outcome;
        to += std::size_t{part} * view.block_bytes;
        block += part;
        count -= part;
    }
    return storage::success;
}

/// Writes `count` blocks from `block` on; the first error ends it.
WATARI_KERNEL inline storage::status write(const namespace_view& view, std::uint64_t block,
                                           std::uint64_t count, const void* source, bool fua) {
    for (const auto* from = static_cast<const std::byte*>(source); count > 0;) {
        const auto part = static_cast<std::uint32_t>(
            count < view.max_blocks() ? count : std::uint64_t{view.max_blocks()});
        const storage::status outcome = end(view, begin_write(view, block, part, from, fua));
        if (!outcome.ok()) return outcome;
        from += std::size_t{part} * view.block_bytes;
        block += part;
        count -= part;
    }
    return storage::success;
}

}  // namespace watari::WATARI_BACKEND
