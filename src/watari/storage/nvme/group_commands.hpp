/// Commands of a group of threads: the leader takes, sends and waits for the group, and all threads
/// copy. All threads call each function, with the same values.
#pragma once

#include "watari/storage/nvme/namespace.hpp"

#include <cstddef>

namespace watari::WATARI_BACKEND {

struct group_commands {
    namespace_view view;

    /// Takes an identifier. `wait_for_one`: waits for one, which is allowed only if the group has
    /// no command in flight. The token is not taken if no identifier was free in time.
    WATARI_KERNEL token take(const group& members, bool wait_for_one) const {
        token command;
        if (members.leads())
            wait_for_one ? WATARI_BACKEND::take(view, command) : try_take(view, command);
        return members.broadcast(command);
    }
    /// Returns the identifier, instead of `send`.
    WATARI_KERNEL void give_back(const group& members, const token& command) const {
        if (members.leads()) WATARI_BACKEND::give_back(view, command);
    }
    /// The command's slot: before `send` for the data of a write, after `wait` for the data of a
    /// read that was not delivered.
    WATARI_KERNEL std::byte* data(const token& command) const {
        return storage::slot_of(view, command);
    }
    /// Submits the command, after all accesses of the threads to `data` and `to`.
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
