/// Reads and writes of bytes of a namespace past any cache, in commands as large as possible,
/// several of them in flight.
///
/// A read takes any range of bytes, a write whole blocks. A range that continues the previous one,
/// both in the namespace and in memory, becomes part of the same command. Commands end in the order
/// in which they began. A group waits for an identifier only if it has no command in flight that it
/// could end first: groups that have commands in flight never wait for each other's.
#pragma once

#include "watari/storage/nvme/group_commands.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::WATARI_BACKEND {

/// The transfers of one group of threads; all threads call each function, with the same values.
class transfers {
public:
    WATARI_KERNEL explicit transfers(const namespace_view& view) : commands_{view} {}

    /// Reads bytes into memory that must not be accessed before wait, which must follow. The rest
    /// that does not fill a command is kept back, since the next range may continue it.
    WATARI_KERNEL void read(const group& members, std::uint64_t first, std::size_t bytes,
                            void* to) {
        add(members, {first, bytes, static_cast<std::byte*>(to), nullptr, false});
    }

    /// Stands for a range that does not exist: wait returns lba_out_of_range.
    WATARI_KERNEL void refuse() { fail(storage::lba_out_of_range); }

    /// Writes whole blocks from memory that must not be written before wait. `fua`: they are on the
    /// medium when wait's status is ok.
    WATARI_KERNEL void write(const group& members, std::uint64_t first, std::size_t bytes,
                             const void* from, bool fua) {
        if (first % view().block_bytes != 0 || bytes % view().block_bytes != 0)
            return fail(storage::invalid_field);
        add(members, {first, bytes, nullptr, static_cast<const std::byte*>(from), fua});
    }

    /// Begins the commands of the range that was kept back.
    WATARI_KERNEL void start(const group& members) {
        while (open_.bytes > 0) begin_part(members);
    }

    /// Waits for all commands; returns the first status that is an error, and resets it to success.
    WATARI_KERNEL storage::status wait(const group& members) {
        start(members);
        while (ended_ < begun_) end_one(members);
        const storage::status result = result_;
        result_ = {};
        return result;
    }

private:
    static constexpr unsigned most = 8;  ///< commands in flight

    struct range {
        std::uint64_t first = 0;
        std::size_t bytes = 0;
        std::byte* to = nullptr;
        const std::byte* from = nullptr;
        bool fua = false;
    };
    struct command {
        token at;
        std::byte* to;
        std::uint32_t skip, bytes;  ///< of the slot: before the data, and of the data
    };

    WATARI_KERNEL void fail(storage::status status) {
        if (result_.ok()) result_ = status;
    }

    WATARI_KERNEL const namespace_view& view() const { return commands_.view; }

    WATARI_KERNEL std::uint32_t most_bytes() const {
        return view().max_blocks() * view().block_bytes;
    }

    /// Bytes from the beginning of the first block to the end of the range that is kept back.
    WATARI_KERNEL std::size_t open_span() const {
        return open_.first % view().block_bytes + open_.bytes;
    }

    [[gnu::noinline]] WATARI_KERNEL void add(const group& members, const range& next) {
        const bool neighbour = open_.bytes > 0 && next.first == open_.first + open_.bytes &&
                               next.fua == open_.fua &&
                               (open_.to ? next.to == open_.to + open_.bytes
                                         : next.from == open_.from + open_.bytes && !next.to);
        if (neighbour) {
            open_.bytes += next.bytes;
        } else {
            start(members);
            open_ = next;
        }
        while (open_.bytes > 0 && open_span() >= most_bytes()) begin_part(members);
    }

    /// Begins one command of the range that is kept back.
    [[gnu::noinline]] WATARI_KERNEL void begin_part(const group& members) {
        const std::uint32_t skip = static_cast<std::uint32_t>(open_.first % view().block_bytes);
        const auto span =
            static_cast<std::uint32_t>(open_span() < most_bytes() ? open_span() : most_bytes());
        const std::uint32_t count = (span + view().block_bytes - 1) / view().block_bytes;
        command next{take_one(members), open_.to, skip, span - skip};
        if (!next.at.taken) {
            fail(next.at.outcome);
            open_.bytes = 0;
            return;
        }
        next.at.bytes = count * view().block_bytes;
        if (!open_.to) {
            copy_bytes(members, commands_.data(next.at), open_.from, next.at.bytes);
            open_.from += next.bytes;
        } else {
            open_.to += next.bytes;
        }
        next.at.delivered =
            next.to && next.bytes == next.at.bytes && delivers(view(), next.bytes, next.to);
        const storage::submission_entry asked =
            make_transfer(next.to ? storage::opcode::read : storage::opcode::write, next.at.cid,
                          view().nsid, open_.first / view().block_bytes, count, open_.fua);
        commands_.send(members, next.at, asked, next.to);
        open_.first += next.bytes;
        open_.bytes -= next.bytes;
        under_way_[begun_++ % most] = next;
    }

    /// Takes an identifier for one command; not taken if none was free within the limit.
    WATARI_KERNEL token take_one(const group& members) {
        if (begun_ - ended_ == most) end_one(members);
        for (;;) {
            const token found = commands_.take(members, begun_ == ended_);
            if (found.taken || begun_ == ended_) return found;
            end_one(members);
        }
    }

    [[gnu::noinline]] WATARI_KERNEL void end_one(const group& members) {
        const command& oldest = under_way_[ended_++ % most];
        const storage::status outcome = commands_.wait(members, oldest.at);
        if (!outcome.ok())
            fail(outcome);
        else if (oldest.to && !oldest.at.delivered)
            copy_bytes(members, oldest.to, commands_.data(oldest.at) + oldest.skip, oldest.bytes);
        commands_.release(members, oldest.at);
    }

    group_commands commands_;
    range open_;
    command under_way_[most];
    unsigned begun_ = 0, ended_ = 0;
    storage::status result_;
};

}  // namespace watari::WATARI_BACKEND
