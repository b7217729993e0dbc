/// Commands of a group of threads: the first takes, sends and waits for all, and all copy. All of
/// them call each function, with the same values.
#pragma once

#include "watari/storage/nvme/namespace.hpp"

#include <cstddef>

namespace watari::WATARI_BACKEND {

struct group_commands {
    namespace_view view;

    /// `wait_for_one`: only if the group has none in flight. Not taken: none was free in time.
    WATARI_KERNEL token take(const group& members, bool wait_for_one) const {
        token command;
        if (members.leads())
            wait_for_one ? WATARI_BACKEND::take(view, command) : try_take(view, command);
        return members.broadcast(command);
    }
    /// Instead of `send`.
    WATARI_KERNEL void give_back(const group& members, const token& command) const {
        if (members.leads()) WATARI_BACKEND::give_back(view, command);
    }
    /// Where data are: before `send` those of a write, after `wait` those of a read that was not
    /// delivered.
    WATARI_KERNEL std::byte* data(const token& command) const {
        return storage::slot_of(view, command);
    }
    /// What the threads have written into `data`, or have done with `to`, comes before it.
    WATARI_KERNEL void send(const group& members, const token& command,
                            const storage::submission_entry& entry, void* to = nullptr) const {
        members.sync();
        if (members.leads()) WATARI_BACKEND::send(view, command, entry, to);
    }
    WATARI_KERNEL storage::status wait(const group& members, const token& command) const {
        storage::status outcome;
        if (members.leads()) outcome = WATARI_BACKEND::wait(view, command);
        return members.broadcast(outcome);
    }
    WATARI_KERNEL void release(const group& members, const token& command) const {
        members.sync();
        if (members.leads()) release_slot(view, command);
    }
    WATARI_KERNEL storage::status flush(const group& members) const {
        storage::status outcome;
        if (members.leads()) outcome = WATARI_BACKEND::flush(view);
        return members.broadcast(outcome);
    }
    /// Whether no command that timed out can write any more.
    WATARI_KERNEL bool settled(const group& members) const {
        return members.broadcast(members.leads() && WATARI_BACKEND::settled(view));
    }
};

}  // namespace watari::WATARI_BACKEND
