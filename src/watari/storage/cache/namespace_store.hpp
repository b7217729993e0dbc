/// A namespace as the store of a cache: reads and writes of whole pages, and commands step by step.
#pragma once

#include "watari/storage/nvme/transfers.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::WATARI_BACKEND {

struct namespace_store : group_commands {
    std::uint64_t blocks;
    std::uint32_t block_bytes;

    WATARI_KERNEL storage::status read(const group& members, std::uint64_t block,
                                       std::uint32_t count, void* to) const {
        transfers all(view);
        all.read(members, block * block_bytes, std::size_t{count} * block_bytes, to);
        return all.wait(members);
    }
    WATARI_KERNEL storage::status write(const group& members, std::uint64_t block,
                                        std::uint32_t count, const void* from, bool fua) const {
        transfers all(view);
        all.write(members, block * block_bytes, std::size_t{count} * block_bytes, from, fua);
        return all.wait(members);
    }

    WATARI_KERNEL std::uint32_t most_blocks() const { return view.max_blocks(); }
    /// Sends a command; the data of a write must be in `data(command)`.
    WATARI_KERNEL void send(const group& members, token& command, storage::opcode operation,
                            std::uint64_t block, std::uint32_t count, bool fua) const {
        command.bytes = count * block_bytes;
        group_commands::send(members, command,
                             make_transfer(operation, command.cid, view.nsid, block, count, fua));
    }
};

}  // namespace watari::WATARI_BACKEND
