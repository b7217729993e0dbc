/// Bytes of a namespace, read and written past any cache in commands as large as they can be,
/// several of them under way.
///
/// Ranges are any bytes for a read, whole blocks for a write. A range that goes on where the one
/// before it ended, on both sides, becomes part of the same command. Commands end in the order in
/// which they began, and one is waited for only while none of this thread's is under way that it
/// could end first: threads that all have commands under way never wait for each other's.
#pragma once

#include "watari/storage/nvme/group_commands.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::WATARI_BACKEND {

/// The transfers of one group of threads; all of them call each function, with the same values.
class transfers {
public:
    WATARI_KERNEL explicit transfers(const namespace_view& view) : commands_{view} {}

    /// Reads bytes into memory that is neither read nor written before wait, which must follow.
    /// What neither neighbours the range before nor fills a command begins with the next call.
    WATARI_KERNEL void read(const group& members, std::uint64_t first, std::size_t bytes,
                            void* to) {
        add(members, {first, bytes, static_cast<std::byte*>(to), nullptr, false});
    }

    /// Instead of a range that is not there: wait says so.
    WATARI_KERNEL void refuse() { fail(storage::lba_out_of_range); }

    /// Writes whole blocks from memory that is not written before wait. `fua`: they are on the
    /// medium when wait's status is ok.
    WATARI_KERNEL void write(const group& members, std::uint64_t first, std::size_t bytes,
                             const void* from, bool fua) {
        if (first % view().block_bytes != 0 || bytes % view().block_bytes != 0)
            return fail(storage::invalid_field);
        add(members, {first, bytes, nullptr, static_cast<const std::byte*>(from), fua});
    }

    /// Begins what was kept back for a neighbour.
    WATARI_KERNEL void start(const group& members) {
        while (open_.bytes > 0) begin_part(members);
    }

    /// Waits for all; the first status that is an error, and success again from then on.
    WATARI_KERNEL storage::status wait(const group& members) {
        start(members);
        while (ended_ < begun_) end_one(members);
        const storage::status result = result_;
        result_ = {};
        return result;
    }

private:
    static constexpr unsigned most = 8;  ///< commands under way

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
        std::uint32_t skip, bytes;  ///< of the slot
    };

    WATARI_KERNEL void fail(storage::status status) {
        if (result_.ok()) result_ = status;
    }

    WATARI_KERNEL const namespace_view& view() const { return commands_.view; }

    WATARI_KERNEL std::uint32_t most_bytes() const {
        return view().max_blocks() * view().block_bytes;
    }

    /// Bytes from the first block's beginning to the end of what is kept back.
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

    /// Begins one command of what is kept back.
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

    /// An identifier for one command; not taken: there was none within the limit.
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
